import type { AutomationRunWithNames } from "@signalbox/client";
import { CalendarClock, Hand, RotateCcw } from "lucide-react";
import { formatDuration } from "../../lib/format.ts";
import { common } from "../../texts/common.ts";
import { runs } from "../../texts/runs.ts";
import { State } from "../../ui/state.tsx";
import type { Column } from "../../ui/table.tsx";
import { Cost, Duration, Time } from "../../ui/time.tsx";

const { columns: heads } = runs;

const Trigger = ({ run }: { run: AutomationRunWithNames }) => {
  const Icon = run.retryOf !== null ? RotateCcw : run.trigger === "schedule" ? CalendarClock : Hand;
  return (
    <span className="row">
      <Icon className="i s" aria-hidden />
      {run.retryOf !== null ? runs.retried : (runs.triggers[run.trigger] ?? run.trigger)}
    </span>
  );
};

/** How long it took, how long it waits, or in a word why it did not succeed. */
function RunTime({ run }: { run: AutomationRunWithNames }) {
  if (run.status === "queued")
    return (
      <>
        {runs.waits} <Duration from={run.queuedAt} to={null} />
      </>
    );
  const short = run.reason === null ? undefined : runs.shortReasons[run.reason];
  if (short !== undefined && run.status !== "running") return <span className="t3">{short}</span>;
  if (run.startedAt === null) return <span className="t3">{common.none}</span>;
  if (run.status === "running") return <Duration from={run.startedAt} to={null} />;
  return (
    <span className="num">
      {formatDuration(Math.max(0, (run.finishedAt ?? run.startedAt) - run.startedAt))}
    </span>
  );
}

interface ColumnOptions {
  findCost(run: AutomationRunWithNames): number | null | undefined;
  withMember?: boolean;
  withAutomation?: boolean;
}

export const createRunColumns = ({
  findCost,
  withMember = false,
  withAutomation = true,
}: ColumnOptions): Column<AutomationRunWithNames>[] => [
  withAutomation
    ? { head: heads.state, cell: (run) => <State kind="run" value={run.status} /> }
    : { head: heads.state, isName: true, cell: (run) => <State kind="run" value={run.status} /> },
  ...(withAutomation
    ? [{ head: heads.automation, isName: true, cell: (run: AutomationRunWithNames) => run.automationName }]
    : []),
  ...(withMember
    ? [
        {
          head: heads.member,
          phone: "hide" as const,
          cell: (run: AutomationRunWithNames) => run.memberName ?? runs.run.details.left,
        },
      ]
    : []),
  { head: heads.startedBy, phone: "hide", cell: (run) => <Trigger run={run} /> },
  { head: heads.time, align: "r", phone: "hide", cell: (run) => <RunTime run={run} /> },
  { head: heads.cost, align: "r", phone: "hide", cell: (run) => <Cost micros={findCost(run)} /> },
  {
    head: heads.when,
    align: "r",
    className: "under",
    cell: (run) => (
      <span className="t3">
        <Time at={run.createdAt} />
      </span>
    ),
  },
];
