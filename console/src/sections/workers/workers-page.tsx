import { Plus } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { useShortcuts } from "../../lib/keyboard.tsx";
import { useFilters } from "../../lib/paths.ts";
import { shell } from "../../texts/shell.ts";
import { workers as texts } from "../../texts/workers.ts";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { AddWorkerDialog } from "./add-worker-dialog.tsx";
import { RegistrationTokens } from "./registration-tokens.tsx";
import { NewRolloutDialog, Rollouts } from "./rollouts.tsx";
import { Runners } from "./runners.tsx";
import { WorkerList } from "./worker-list.tsx";

const views = ["workers", "runners", "rollouts", "tokens"] as const;
type View = (typeof views)[number];

export default function WorkersPage() {
  const { filters, setFilters } = useFilters();
  const view = views.find((candidate) => candidate === filters.view) ?? "workers";
  const mayManage = usePermission("workers:manage");
  const [creating, setCreating] = useState<"worker" | "rollout">();
  const { useKey } = useShortcuts();
  const own = view === "rollouts" ? "rollout" : "worker";
  useKey("c", () => setCreating(own), mayManage);
  const shown: View[] = mayManage ? [...views] : ["workers", "runners", "rollouts"];
  return (
    <Page
      name={texts.title}
      crumbs={[{ label: shell.groups.fleet }, { label: texts.title }]}
      title={texts.title}
      lead={texts.lead}
      actions={
        mayManage && (
          <Button look="primary" icon={Plus} onClick={() => setCreating(own)}>
            {own === "rollout" ? texts.rollout.new : texts.add.action}
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
              { view: value === "workers" ? undefined : value, state: undefined, label: undefined },
              { replace: false },
            )
          }
          options={shown.map((value) => ({ value, label: texts.tabs[value] }))}
        />
      </div>
      {view === "workers" && <WorkerList onAdd={mayManage ? () => setCreating("worker") : undefined} />}
      {view === "runners" && <Runners />}
      {view === "rollouts" && <Rollouts mayManage={mayManage} />}
      {view === "tokens" && <RegistrationTokens />}
      {creating === "worker" && <AddWorkerDialog onClose={() => setCreating(undefined)} />}
      {creating === "rollout" && <NewRolloutDialog onClose={() => setCreating(undefined)} />}
    </Page>
  );
}
