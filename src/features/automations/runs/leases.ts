import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { Run } from "./contract.ts";
import { endRun } from "./ending.ts";
import { maxAttempts } from "./fence.ts";
import * as store from "./store.ts";
import { announceWork } from "./work-announcements.ts";

/**
 * Ends an attempt whose lease is over. The run is queued again, and fails after its last attempt. Returns the new
 * status of the run.
 */
export async function endExpiredLease(
  { bus }: Pick<Platform, "bus">,
  tx: Db,
  orgId: OrgId,
  run: store.LockedRun,
): Promise<Run["status"]> {
  await store.endAttempt(tx, orgId, run.id, run.attempt, "lease_lost");
  if (run.cancelRequested) {
    const silent = "Its runner went silent after it was asked to stop.";
    await endRun(tx, orgId, run.id, {
      status: "cancelled",
      reason: run.cancelReason,
      reasonDetail:
        run.cancelReason === "timed_out" ? `It ran longer than its automation allows. ${silent}` : silent,
      fenced: true,
    });
    return "cancelled";
  }
  if (run.archived) {
    await store.endRun(tx, orgId, run.id, {
      status: "cancelled",
      reason: "automation_archived",
      reasonDetail: "Its runner went silent after its automation was archived.",
      fenced: true,
    });
    return "cancelled";
  }
  if (run.attempt >= maxAttempts) {
    await endRun(tx, orgId, run.id, {
      status: "failed",
      reason: "interrupted",
      reasonDetail: `Its runner went silent in each of ${run.attempt} attempts.`,
      fenced: true,
    });
    return "failed";
  }
  await store.requeue(
    tx,
    orgId,
    run.id,
    "lease_lost",
    "Its runner went silent; it waits for another attempt.",
  );
  await announceWork(bus, tx, orgId, run.memberId);
  return "queued";
}
