import type { AutomationRunEvent } from "@signalbox/client";
import {
  startTransition,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useList, useRead } from "../../lib/queries.ts";
import type { RowFacts } from "./events/event-row.tsx";
import type { FilterKind, Timeline } from "./events/timeline.ts";

export const hasEnded = (status: string): boolean => status !== "queued" && status !== "running";

/** More usage reports than this are not loaded. The events say what they report then. */
const maxReports = 1_000;

/** The run with its figures and usage reports. Read again while it runs. */
export function useRun(id: string) {
  const detail = useRead("GET /v1/automation-runs/{id}", { path: { id } });
  const isLive = detail.data !== undefined && !hasEnded(detail.data.run.status);
  // The stream reports changes. This finds those that a broken stream misses.
  const backup = useRead(
    "GET /v1/automation-runs/{id}",
    { path: { id } },
    { enabled: isLive, everyMs: 10_000 },
  );
  const usage = useList("GET /v1/automation-runs/{id}/usage", { path: { id }, query: { limit: 100 } });
  useEffect(() => {
    if (usage.hasMore && usage.rows.length < maxReports) usage.keepLoading();
  });
  // The page is drawn once with all reports, and not with each page of them.
  const isComplete = !usage.hasMore || usage.rows.length >= maxReports;
  const reports = useRef(usage.rows);
  if (isComplete) reports.current = usage.rows;
  return { detail: backup.data ? backup : detail, isLive, reports: reports.current };
}

/** `1:37`, and from an hour on `1:02:11`. */
function formatOffset(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

interface Reported {
  attempt: number;
  sequence: number | null;
  costMicros: number | null;
}

/** What the rows need to know of the run. */
export function useRowFacts(
  timeline: Timeline,
  startedAt: number | null,
  revision: number,
  reports: readonly Reported[],
): RowFacts {
  const first = timeline.first();
  const costs = useMemo(
    () => new Map(reports.map((report) => [`${report.attempt}.${report.sequence}`, report.costMicros])),
    [reports],
  );
  return useMemo(() => {
    // The clock of the runner may be wrong. The first event ties it to the clock of the server.
    const shift = first ? first.receivedAt - (startedAt ?? first.receivedAt) - first.createdAt : 0;
    return {
      revision,
      formatOffset: (event: AutomationRunEvent) => formatOffset(event.createdAt + shift),
      findCost: (event: AutomationRunEvent) => costs.get(`${event.attempt}.${event.sequence}`) ?? undefined,
    };
  }, [first, startedAt, revision, costs]);
}

/** The rows to show. Typing and choosing stay quick, because the rows follow a moment later. */
export function useRows(timeline: Timeline, kind: FilterKind, text: string) {
  const version = useSyncExternalStore(timeline.subscribe, timeline.version);
  const wanted = useAfterPaint(kind);
  const searched = useDeferredValue(text);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the content of the timeline.
  return useMemo(() => timeline.select(wanted, searched), [timeline, version, wanted, searched]);
}

/** The value as it was at the last paint. A deferred value may be drawn before the paint that shows the press. */
function useAfterPaint<Value extends string>(value: Value): Value {
  const [painted, setPainted] = useState(value);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setPainted(value)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [value]);
  return painted;
}
