import type { OrgId, Platform } from "../../../platform/context.ts";
import { job } from "../../../platform/jobs/index.ts";
import { findExceededBudget, isMonthlyOfOrganization } from "../../llm-providers/index.ts";
import { defaults } from "../settings/index.ts";
import { runChanges } from "./changes.ts";
import { endRun } from "./ending.ts";
import { endExpiredLease } from "./leases.ts";
import * as store from "./store.ts";
import { announceWork } from "./work-announcements.ts";

const batchSize = 100;

/** Ends expired leases and attempts whose deadline has passed. */
export async function endOverdueRuns(platform: Platform): Promise<void> {
  while ((await endOverdueBatch(platform)) > 0);
}

/** A job of its own, because starting thousands of runs must not delay the detection of lost leases. */
export const endOverdue = job({
  name: "automations.end-overdue",
  everySeconds: 1,
  isDue: store.hasOverdue,
  retries: 0,
  handle: endOverdueRuns,
});

/** Skips runs that no runner claimed in time. Once a minute is often enough. */
export const skipUnclaimed = job({
  name: "automations.skip-unclaimed",
  everySeconds: 60,
  async handle(platform) {
    while ((await skipUnclaimedBatch(platform)) > 0);
  },
});

async function endOverdueBatch(platform: Platform): Promise<number> {
  const runs = await platform.db.transaction(async (tx) => {
    const overdue = await store.lockOverdueAcrossOrganizations(tx, batchSize);
    for (const run of overdue) {
      if (!run.live) await endExpiredLease(platform, tx, run.orgId, run);
      else if (run.longPast) {
        await store.endAttempt(tx, run.orgId, run.id, run.attempt, "timed_out");
        await endRun(tx, run.orgId, run.id, {
          status: "failed",
          reason: "timed_out",
          reasonDetail: "It ran longer than its automation allows and did not stop when asked.",
          fenced: true,
        });
      } else {
        await store.requestCancel(tx, run.orgId, run.id, "timed_out");
        await announceWork(platform.bus, tx, run.orgId, run.memberId);
      }
    }
    return overdue;
  });
  for (const { id } of runs) platform.state.get(runChanges).announce(platform.db, id);
  return runs.length;
}

async function skipUnclaimedBatch(platform: Platform): Promise<number> {
  const runs = await platform.db.transaction(async (tx) => {
    const waiting = await store.lockUnclaimedAcrossOrganizations(tx, defaults.queueTimeoutMinutes, batchSize);
    for (const { id, orgId, attempt } of waiting) {
      await store.endRun(tx, orgId, id, {
        status: "skipped",
        reason: "no_runner",
        reasonDetail: "No runner took it in time. Is one connected for this member?",
        fenced: attempt > 0,
      });
    }
    return waiting;
  });
  for (const { id } of runs) platform.state.get(runChanges).announce(platform.db, id);
  return runs.length;
}

/**
 * While the month's budget is spent, skips queued runs and cancels running ones, each in its own transaction. The job can
 * run late: the budget may be higher by then, or the month over.
 */
export const stopOrganization = job<{ orgId: string }>({
  name: "automations.stop-organization",
  async handle(platform, data) {
    const orgId = data.orgId as OrgId;
    for (;;) {
      const spent = await findExceededBudget(platform.db, orgId, [orgId]);
      if (!spent || !isMonthlyOfOrganization(spent)) return;
      const live = await store.listLive(platform.db, orgId, batchSize);
      for (const { id } of live) await stopRun(platform, orgId, id);
      if (live.length < batchSize) return;
    }
  },
});

async function stopRun(platform: Platform, orgId: OrgId, id: store.RunId): Promise<void> {
  const reason = "monthly_budget_exceeded";
  await platform.db.transaction(async (tx) => {
    const run = await store.lock(tx, orgId, null, id);
    if (run?.status === "queued") {
      const reasonDetail = "This month's budget was spent before a runner took it.";
      await store.endRun(tx, orgId, id, { status: "skipped", reason, reasonDetail, fenced: run.attempt > 0 });
    } else if (run?.status === "running") {
      await store.requestCancel(tx, orgId, id, reason);
      await announceWork(platform.bus, tx, orgId, run.memberId);
    }
  });
  platform.state.get(runChanges).announce(platform.db, id);
}
