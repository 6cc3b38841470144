import { useEffect, useMemo } from "react";
import { useList } from "../../lib/queries.ts";
import { usage as texts } from "../../texts/usage.ts";

export type Source = "runs" | "telemetry";
export type Dimension = "day" | "member" | "team" | "model" | "automation" | "worker";

export const dimensionsOf: Record<Source, readonly Dimension[]> = {
  runs: ["day", "automation", "member", "model"],
  telemetry: ["day", "automation", "member", "team", "model", "worker"],
};

/** The usage of one member, model, day and so on, from either source. */
export interface UsageRow {
  /** The id, the model or the day. Null when it is not known. */
  key: string | null;
  name: string;
  /** Null when no cost is known. */
  costMicros: number | null;
  inputTokens: number;
  outputTokens: number;
  /** Runs, or events of telemetry. */
  count: number;
  isPriced: boolean;
}

/** More groups than this are not loaded. */
const maxRows = 1_000;

/** Usage by a dimension, from the runs or from telemetry. All pages are read, because they are compared. */
export function useUsage(source: Source, by: Dimension, fromAt: number, enabled = true) {
  const isRuns = source === "runs";
  const groupBy = by === "team" || by === "worker" ? "day" : by;
  const runs = useList(
    "GET /v1/automation-usage",
    { query: { groupBy, fromAt, limit: 100 } },
    { enabled: enabled && isRuns, everyMs: 30_000 },
  );
  const telemetry = useList(
    "GET /v1/telemetry/summary",
    { query: { groupBy: by, from: fromAt, limit: 100 } },
    { enabled: enabled && !isRuns, everyMs: 30_000 },
  );
  const list = isRuns ? runs : telemetry;
  useEffect(() => {
    if (list.hasMore && list.rows.length < maxRows) list.keepLoading();
  });
  const rows = useMemo<UsageRow[]>(
    () =>
      isRuns
        ? runs.rows.map((group) => ({
            key: group.key,
            name: group.name ?? group.key ?? texts.unnamed[by]!,
            costMicros: group.costMicros,
            inputTokens: group.inputTokens,
            outputTokens: group.outputTokens,
            count: group.runs,
            isPriced: group.priced,
          }))
        : telemetry.rows.map((item) => {
            const { key, name } = readTelemetryKey(item, by);
            return {
              key,
              name: name ?? key ?? texts.unnamed[by]!,
              costMicros: item.costMicros,
              inputTokens: item.inputTokens,
              outputTokens: item.outputTokens,
              count: item.events,
              isPriced: item.unpricedEvents === 0,
            };
          }),
    [isRuns, by, runs.rows, telemetry.rows],
  );
  return { ...list, rows };
}

interface TelemetryKeys {
  day?: string;
  memberId?: string | null;
  memberName?: string | null;
  teamId?: string | null;
  teamName?: string | null;
  model?: string | null;
  workerId?: string | null;
  workerName?: string | null;
  automationId?: string | null;
  automationName?: string | null;
}

function readTelemetryKey(item: TelemetryKeys, by: Dimension): { key: string | null; name: string | null } {
  switch (by) {
    case "day":
      return { key: item.day ?? null, name: null };
    case "model":
      return { key: item.model ?? null, name: null };
    case "member":
      return { key: item.memberId ?? null, name: item.memberName ?? null };
    case "team":
      return { key: item.teamId ?? null, name: item.teamName ?? null };
    case "worker":
      return { key: item.workerId ?? null, name: item.workerName ?? null };
    case "automation":
      return { key: item.automationId ?? null, name: item.automationName ?? null };
  }
}

const dayMs = 24 * 3_600_000;

/** The start of the day in UTC that is `days` days ago, today included. */
export const findRangeStart = (days: number, now = Date.now()): number =>
  Math.floor(now / dayMs) * dayMs - (days - 1) * dayMs;

/** One entry a day from `fromAt` to today, also for days without usage. */
export function fillDays(rows: readonly UsageRow[], fromAt: number, now = Date.now()): UsageRow[] {
  const byDay = new Map(rows.map((row) => [row.key, row]));
  const days: UsageRow[] = [];
  for (let at = fromAt; at <= now; at += dayMs) {
    const key = new Date(at).toISOString().slice(0, 10);
    const none = { costMicros: 0, inputTokens: 0, outputTokens: 0, count: 0, isPriced: true };
    days.push(byDay.get(key) ?? { key, name: key, ...none });
  }
  return days;
}
