import type { Platform } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { job } from "../../platform/jobs/index.ts";
import { defineState } from "../../platform/state.ts";
import { createRun } from "./runs/index.ts";
import { findNextOccurrence } from "./schedules/index.ts";
import * as store from "./store.ts";

/** Small, so that automations of other organizations that become due meanwhile are in the next batch. */
const batchSize = 20;
/** An occurrence can start this late. After that it is missed. */
const graceMs = 15 * 60_000;
const maxCountedMisses = 1_000;

/** Starts due automations. Any number of processes may run it, because each automation is locked by one of them. */
export const startDue = job({
  name: "automations.start-due",
  everySeconds: 1,
  isDue: store.hasDue,
  retries: 0,
  handle: startDueAutomations,
});

/** How long an automation that could not be started waits for the next try. */
const pauseMs = 60_000;

/**
 * Automations that could not be started, and until when they wait. The time zone of a schedule can be one that only a
 * newer runtime knows.
 */
export const failedStarts = defineState({
  name: "automations that could not be started",
  create: () => new Map<store.AutomationId, number>(),
});

export async function startDueAutomations(platform: Platform): Promise<void> {
  const failed = platform.state.get(failedStarts);
  for (const [id, until] of failed) if (performance.now() >= until) failed.delete(id);
  for (let limit = batchSize; ; ) {
    let due: store.DueAutomation[] = [];
    try {
      await platform.db.transaction(async (tx) => {
        due = await store.lockDueAcrossOrganizations(tx, [...failed.keys()], limit);
        for (const automation of due) await startAutomation(platform, tx, automation);
      });
    } catch (error) {
      const [first] = due;
      if (!first) throw error;
      // The rest of this round is done one by one, so that the others do not fail with it.
      if (limit === 1) {
        failed.set(first.id, performance.now() + pauseMs);
        platform.log.error({ automationId: first.id, err: error }, "automation not started");
      }
      limit = 1;
    }
    // Another process can hold some of the rows, so only an empty batch is the end.
    if (due.length === 0) return;
  }
}

async function startAutomation(platform: Platform, tx: Db, automation: store.DueAutomation): Promise<void> {
  const { id, orgId, memberId, ownerDeactivated, revision, schedule, nextRunAt, now } = automation;
  if (memberId === null) return void (await store.setStatus(tx, orgId, id, "inactive", null));
  if (ownerDeactivated) {
    // The occurrence is skipped, so that the automation goes on when its owner is reactivated.
    const next = findNextOccurrence(schedule, now);
    if (next === undefined) await store.setStatus(tx, orgId, id, "inactive", null);
    else await store.setNextRun(tx, orgId, id, next);
    return;
  }
  const { latest, missed } = findOccurrencesUntil(schedule, nextRunAt, now);
  const due = { automationId: id, revision, memberId, trigger: "schedule" } as const;
  if (missed > 0) {
    const times =
      missed > maxCountedMisses
        ? `More than ${maxCountedMisses} times`
        : missed === 1
          ? "Once"
          : `${missed} times`;
    await createRun(
      platform,
      tx,
      orgId,
      { ...due, occurrenceAt: nextRunAt },
      {
        reason: "missed",
        reasonDetail: `${times} it was due while the service was not running or the organization was suspended, from ${new Date(nextRunAt).toISOString()} on.`,
      },
    );
  }
  if (latest !== undefined) await createRun(platform, tx, orgId, { ...due, occurrenceAt: latest });
  await store.setNextRun(tx, orgId, id, findNextOccurrence(schedule, now) ?? null);
}

/** The occurrence to run now, and how many were missed before it. */
function findOccurrencesUntil(
  schedule: store.DueAutomation["schedule"],
  from: number,
  now: number,
): { latest: number | undefined; missed: number } {
  let latest = from;
  let missed = 0;
  for (let next = findNextOccurrence(schedule, from); next !== undefined && next <= now; ) {
    missed++;
    latest = next;
    // After a long downtime only the latest occurrence matters, not the exact number of missed ones.
    next = findNextOccurrence(schedule, missed > maxCountedMisses ? Math.max(latest, now - graceMs) : latest);
  }
  return now - latest > graceMs ? { latest: undefined, missed: missed + 1 } : { latest, missed };
}
