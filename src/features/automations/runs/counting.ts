import type { MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { countUsageReports, stopRuns } from "../costs/index.ts";
import type { Completion } from "./contract.ts";
import * as store from "./store.ts";
import { announceWork } from "./work-announcements.ts";

/** The usage of one report of an attempt. */
interface AttemptUsage {
  /** The sequence of the event, or `completionReport`. */
  report: number;
  usage: NonNullable<Completion["usage"]>;
  /** The runner's clock, in milliseconds since 1970. */
  usedAt: number;
}

/** Counts the usage of reports. Beyond a budget the run is cancelled, beyond the organization's of the month all runs. */
export async function countUsage(
  ctx: MemberCtx,
  tx: Db,
  run: Pick<
    store.LockedRun,
    "id" | "automationId" | "memberId" | "status" | "modelProviderId" | "modelId" | "startedAt"
  >,
  attempt: number,
  reports: readonly AttemptUsage[],
): Promise<void> {
  const { orgId } = ctx;
  const { id: runId, automationId, memberId, modelProviderId, modelId } = run;
  const now = Date.now();
  const exceeded = await countUsageReports(
    tx,
    orgId,
    { runId, attempt, automationId, memberId, automationProvider: modelProviderId },
    reports.map(({ report, usage, usedAt }) => ({
      ...usage,
      report,
      provider: usage.provider ?? modelProviderId,
      model: usage.model ?? modelId,
      // The clock of a runner can be wrong, but the tokens were used during the run.
      at: Math.max(run.startedAt ?? 0, Math.min(usedAt, now)),
    })),
  );
  if (!exceeded) return;
  await store.requestCancel(tx, orgId, runId, exceeded);
  await announceWork(ctx.bus, tx, orgId, memberId);
  if (exceeded === "monthly_budget_exceeded") await stopRuns(ctx, tx, orgId);
}
