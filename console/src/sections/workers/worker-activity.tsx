import type { WorkerActivity } from "@signalbox/client";
import { useList } from "../../lib/queries.ts";
import { stateWords } from "../../texts/states.ts";
import { workers } from "../../texts/workers.ts";
import { Card } from "../../ui/card.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

const texts = workers.activity;

export function WorkerActivityList({ id }: { id: string }) {
  const list = useList("GET /v1/workers/{id}/activity", { path: { id } }, { everyMs: 5_000 });
  const columns: Column<WorkerActivity>[] = [
    {
      head: workers.parts.activity,
      cell: (activity) => <span className="wrap-text">{describe(activity)}</span>,
    },
    { head: workers.columns.at, align: "r", cell: ({ at }) => <Time at={at} /> },
  ];
  return (
    <Card>
      <DataTable
        label={workers.parts.activity}
        what={workers.what.activity}
        list={list}
        columns={columns}
        rowKey={(activity) => activity.id}
        empty={<Empty title={workers.empty.activity} />}
      />
    </Card>
  );
}

const stateWord = (value: unknown): string =>
  (stateWords.worker as Record<string, string>)[String(value ?? "")] ?? String(value ?? "");

/** One sentence for an entry of the timeline. */
function describe({ type, detail }: WorkerActivity): string {
  const read = (name: string) =>
    detail[name] === undefined || detail[name] === null ? "" : String(detail[name]);
  switch (type) {
    case "state_changed":
      return texts.state(stateWord(detail.from), stateWord(detail.to));
    case "version_changed":
      return texts.version(read("from"), read("to"));
    case "upgrade_changed": {
      const state = workers.upgradeStates[read("state")] ?? read("state");
      const reason = read("reason");
      return `${texts.upgrade(read("version"), state)}${reason ? ` (${reason})` : ""}`;
    }
    case "paused":
      return texts.paused(read("note"));
    default:
      return texts[type];
  }
}
