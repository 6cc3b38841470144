import { Plus } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { useShortcuts } from "../../lib/keyboard.tsx";
import { useFilters } from "../../lib/paths.ts";
import { llmProviders as texts } from "../../texts/llm-providers.ts";
import { shell } from "../../texts/shell.ts";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { AddProviderDialog } from "./add-provider-dialog.tsx";
import { BudgetDialog } from "./budget-dialog.tsx";
import { Budgets } from "./budgets.tsx";
import { Models } from "./models.tsx";
import { OwnPrices } from "./own-prices.tsx";
import { ProviderList } from "./provider-list.tsx";

const views = ["providers", "models", "prices", "budgets"] as const;

export default function ProvidersPage() {
  const { filters, setFilters } = useFilters();
  const view = views.find((candidate) => candidate === filters.view) ?? "providers";
  const mayManage = usePermission("llm_providers:manage");
  const [creating, setCreating] = useState<"provider" | "budget">();
  const own = view === "budgets" ? "budget" : "provider";
  const { useKey } = useShortcuts();
  useKey("c", () => setCreating(own), mayManage);
  const close = () => setCreating(undefined);
  return (
    <Page
      name={texts.title}
      crumbs={[{ label: shell.groups.fleet }, { label: texts.title }]}
      title={texts.title}
      lead={texts.lead}
      actions={
        mayManage &&
        (view === "providers" || view === "budgets") && (
          <Button look="primary" icon={Plus} onClick={() => setCreating(own)}>
            {own === "budget" ? texts.budgets.new : texts.add.action}
          </Button>
        )
      }
    >
      <div className="filters">
        <Segments
          label={texts.tabs.label}
          value={view}
          onChange={(value) =>
            setFilters(
              { view: value === "providers" ? undefined : value, kind: undefined },
              { replace: false },
            )
          }
          options={views.map((value) => ({ value, label: texts.tabs[value] }))}
        />
      </div>
      {view === "providers" && <ProviderList onAdd={mayManage ? () => setCreating("provider") : undefined} />}
      {view === "models" && <Models mayManage={mayManage} />}
      {view === "prices" && <OwnPrices mayManage={mayManage} />}
      {view === "budgets" && <Budgets mayManage={mayManage} />}
      {creating === "provider" && <AddProviderDialog onClose={close} />}
      {creating === "budget" && <BudgetDialog onClose={close} />}
    </Page>
  );
}
