import { useNavigate, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { usePermission } from "../../lib/context.tsx";
import { useFilters, usePath } from "../../lib/paths.ts";
import { accounts as texts } from "../../texts/accounts.ts";
import { LinkButton } from "../../ui/button.tsx";
import { SplitPage } from "../../ui/page.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { ConnectionInspector } from "./connection-inspector.tsx";
import { ConnectionList } from "./connection-list.tsx";
import { CustomProviderForm } from "./custom-provider-form.tsx";
import { ProviderGallery } from "./provider-gallery.tsx";
import { ProviderInspector } from "./provider-inspector.tsx";
import "./accounts.css";

const views = ["accounts", "care", "ended", "providers"] as const;
type View = (typeof views)[number];

/** Accounts at other services: who has connected what, how it is, and where more can be connected. */
export default function AccountsPage() {
  const { id } = useParams({ strict: false }) as { id?: string };
  const { filters, setFilters } = useFilters();
  const path = usePath();
  const navigate = useNavigate();
  const mayManage = usePermission("oauth_clients:manage");
  const isConnection = id?.startsWith("ocn_") ?? false;
  const isNew = filters.new === "provider" && mayManage;
  const view: View =
    views.find((name) => name === filters.view) ??
    (isNew || (id && !isConnection) ? "providers" : "accounts");
  const base = path("/connections/accounts");
  const close = () =>
    void navigate({ to: base, search: { ...(view === "accounts" ? {} : { view }) } as never });

  const inspect = (): ReactNode => {
    if (isNew) return <CustomProviderForm onClose={close} />;
    if (id === undefined) return undefined;
    return isConnection ? (
      <ConnectionInspector key={id} id={id} onClose={close} />
    ) : (
      <ProviderInspector key={id} id={id} onClose={close} />
    );
  };
  return (
    <SplitPage
      name={texts.name}
      title={texts.name}
      lead={texts.lead}
      crumbs={[{ label: texts.group }, { label: texts.name }]}
      barActions={
        view !== "providers" && (
          <LinkButton size="s" icon={Plus} to={base} search={{ view: "providers" }}>
            {texts.connect}
          </LinkButton>
        )
      }
      inspector={inspect()}
    >
      <div className="filters">
        <Segments
          label={texts.views.label}
          value={view}
          onChange={(value) =>
            setFilters({ view: value === "accounts" ? undefined : value, find: undefined })
          }
          options={views.map((name) => ({ value: name, label: texts.views[name] }))}
        />
      </div>
      {view === "providers" ? (
        <ProviderGallery selected={isConnection ? undefined : id} />
      ) : (
        <ConnectionList view={view} selected={isConnection ? id : undefined} />
      )}
    </SplitPage>
  );
}
