import type { AutomationRunner } from "@signalbox/client";
import { CirclePlay, Trash2 } from "lucide-react";
import { useState } from "react";
import { useMemberNames } from "../../lib/member-names.ts";
import { useAction, useList } from "../../lib/queries.ts";
import { workers as texts } from "../../texts/workers.ts";
import { IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

export function Runners() {
  const nameOf = useMemberNames();
  const list = useList("GET /v1/automation-runners", {}, { everyMs: 5_000 });
  const columns: Column<AutomationRunner>[] = [
    { head: texts.columns.name, cell: ({ runnerId }) => <span className="strong cut">{runnerId}</span> },
    { head: texts.columns.owner, phone: "hide", cell: ({ memberId }) => nameOf(memberId) },
    { head: texts.columns.serves, phone: "hide", cell: ({ serves }) => texts.runner.serves[serves] },
    {
      head: texts.columns.platform,
      phone: "hide",
      cell: ({ platform, version }) => [platform, version].filter(Boolean).join(", "),
    },
    {
      head: texts.columns.runs,
      align: "r",
      phone: "label",
      cell: ({ running, concurrency }) => texts.runner.load(running, concurrency),
    },
    { head: texts.columns.seen, align: "r", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
    { head: "", align: "r", cell: (runner) => <RemoveRunner runner={runner} /> },
  ];
  return (
    <section className="card">
      <DataTable
        label={texts.tabs.runners}
        what={texts.what.runners}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<Empty icon={CirclePlay} title={texts.empty.runners} text={texts.empty.runnersText} />}
      />
    </section>
  );
}

function RemoveRunner({ runner: { id, runnerId } }: { runner: AutomationRunner }) {
  const toast = useToast();
  const [asks, setAsks] = useState(false);
  const remove = useAction("DELETE /v1/automation-runners/{id}", {
    changes: ["GET /v1/automation-runners"],
    onDone: () => toast(texts.runner.removed),
  });
  return (
    <>
      <IconButton icon={Trash2} label={`${texts.runner.remove}: ${runnerId}`} onClick={() => setAsks(true)} />
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={texts.runner.removeTitle(runnerId)}
        text={texts.runner.removeText}
        action={texts.runner.remove}
        onConfirm={() => remove.run({ path: { id } })}
      />
    </>
  );
}
