import type { AutomationRunWithNames } from "@signalbox/client";
import { ListTree, RefreshCw } from "lucide-react";
import { useEffect, useState } from "react";
import { formatNumber } from "../../../lib/format.ts";
import { useFilters } from "../../../lib/paths.ts";
import { common } from "../../../texts/common.ts";
import { runs } from "../../../texts/runs.ts";
import { Button } from "../../../ui/button.tsx";
import { Empty, Failure, Skeleton } from "../../../ui/feedback.tsx";
import { Find } from "../../../ui/find.tsx";
import { describeProblem } from "../../../ui/problem.ts";
import { Segments } from "../../../ui/tabs.tsx";
import { hasEnded, useRowFacts, useRows } from "../use-run.ts";
import { type FilterKind, filterKinds } from "./timeline.ts";
import { TimelineList } from "./timeline-list.tsx";
import type { useRunStream } from "./use-run-stream.ts";

const texts = runs.run;

interface EventsPartProps {
  stream: ReturnType<typeof useRunStream>;
  run: AutomationRunWithNames;
  reports: Parameters<typeof useRowFacts>[3];
}

/** The events of the run, with their filters. */
export function EventsPart({ stream: { timeline, state, error, retry }, run, reports }: EventsPartProps) {
  const { filters, setFilters } = useFilters();
  const named = filterKinds.find((one) => one === filters.kind) ?? "all";
  const [kind, setKind] = useState<FilterKind>(named);
  useEffect(() => setKind(named), [named]);
  const choose = (next: FilterKind) => {
    setKind(next);
    // The address follows after the next paint, so that the choice is seen at once.
    requestAnimationFrame(() => setTimeout(() => setFilters({ kind: next === "all" ? undefined : next })));
  };
  const [text, setText] = useState(filters.find ?? "");
  const rows = useRows(timeline, kind, text);
  const facts = useRowFacts(timeline, run.startedAt, run.automationRevision, reports);
  const total = timeline.count("all");
  const isLive = !hasEnded(run.status) && state !== "ended" && state !== "failed";
  const options = filterKinds
    .map((value) => ({ value, label: texts.kinds[value], count: timeline.count(value) }))
    .filter(({ value, count }) => value === "all" || count > 0 || value === kind)
    .map((option) => ({
      ...option,
      label: <Label kind={option.value} count={option.count} />,
      count: undefined,
    }));
  return (
    <>
      <div className="filters">
        <Segments<FilterKind> label={texts.kind} value={kind} onChange={choose} options={options} />
        <span className="grow" />
        <Find value={text} onChange={setText} label={texts.find} />
      </div>
      {state === "reconnecting" && (
        <p className="note care" role="status">
          <RefreshCw className="i s" aria-hidden />
          {texts.reconnecting}
        </p>
      )}
      {state === "failed" && total > 0 && (
        <div className="note care" role="alert">
          <RefreshCw className="i s" aria-hidden />
          <span className="grow">{texts.stopped(describeProblem(error).message)}</span>
          <Button size="s" onClick={retry}>
            {common.actions.tryNow}
          </Button>
        </div>
      )}
      {state === "failed" && total === 0 ? (
        <Failure error={error} what={texts.followers} onRetry={retry} />
      ) : rows.length > 0 ? (
        <TimelineList rows={rows} facts={facts} isLive={isLive} total={total} />
      ) : state === "reading" ? (
        <Skeleton rows={6} />
      ) : (
        <Empty icon={ListTree} title={chooseEmptyText(run, total, isLive)} />
      )}
    </>
  );
}

const Label = ({ kind, count }: { kind: FilterKind; count: number }) => (
  <>
    {texts.kinds[kind]} <span className="num">{formatNumber(count)}</span>
  </>
);

function chooseEmptyText(run: AutomationRunWithNames, total: number, isLive: boolean): string {
  if (total > 0) return texts.noMatch;
  if (run.eventsPrunedAt !== null) return texts.pruned;
  return isLive ? texts.noEvents : texts.noEventsEnded;
}
