import type { AutomationRunWithNames } from "@signalbox/client";
import { useEffect, useMemo } from "react";
import { useList } from "../../lib/queries.ts";

interface CostOptions {
  automationId?: string | undefined;
  memberId?: string | undefined;
  everyMs?: number;
}

/** The cost of each run of a list. Both lists are in the same order, newest run first, so the pages go together. */
export function useRunCosts(
  rows: readonly AutomationRunWithNames[],
  { automationId, memberId, everyMs = 10_000 }: CostOptions = {},
) {
  const oldest = rows.at(-1);
  const usage = useList(
    "GET /v1/automation-usage",
    {
      query: {
        groupBy: "run",
        limit: 100,
        // A run reports its usage after its creation.
        fromAt: oldest?.createdAt ?? 0,
        ...(automationId ? { automationId } : {}),
        ...(memberId ? { memberId } : {}),
      },
    },
    { enabled: oldest !== undefined, everyMs },
  );
  const last = usage.rows.at(-1)?.key;
  useEffect(() => {
    if (oldest && usage.hasMore && last && last > oldest.id) usage.keepLoading();
  });
  const costs = useMemo(
    () => new Map(usage.rows.map((group) => [group.key, group.costMicros])),
    [usage.rows],
  );
  return (run: AutomationRunWithNames) => costs.get(run.id);
}
