import type { Bus } from "../../../platform/bus.ts";
import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { Run } from "./contract.ts";
import { endRun } from "./ending.ts";
import { maxAttempts } from "./fence.ts";
import * as store from "./store.ts";

const topic = "automation-work";

/** Tells the runners of a member, and those of the whole organization, to look for work or cancellations. */
export const announceWork = (bus: Bus, tx: Db, orgId: OrgId, memberId: string) =>
  bus.publish(tx, topic, `${orgId} ${memberId}`);

export interface WorkListener {
  /** A run of this member can be claimed or must stop. */
  onWork(memberId: string): void;
  onGap(): void;
}

const listenersByBus = new WeakMap<Bus, Map<string, Set<WorkListener>>>();

/** Listens to the work of one organization. All listeners of a process share one subscription to the bus. */
export function onWork(bus: Bus, orgId: OrgId, listener: WorkListener): () => void {
  const byOrganization = listenersByBus.get(bus) ?? subscribe(bus);
  const set = byOrganization.get(orgId) ?? new Set();
  byOrganization.set(orgId, set.add(listener));
  return () => {
    set.delete(listener);
    if (set.size === 0 && byOrganization.get(orgId) === set) byOrganization.delete(orgId);
  };
}

function subscribe(bus: Bus) {
  const byOrganization = new Map<string, Set<WorkListener>>();
  bus.subscribe(topic, {
    onMessage: (message) => {
      const [orgId, memberId] = message.split(" ") as [string, string];
      for (const listener of byOrganization.get(orgId) ?? []) listener.onWork(memberId);
    },
    onGap: () => {
      for (const set of byOrganization.values()) for (const listener of set) listener.onGap();
    },
  });
  listenersByBus.set(bus, byOrganization);
  return byOrganization;
}

/**
 * The holder of a running attempt is silent past its lease. Once, the run is queued again; the second
 * time it has failed: whatever ends its runners would end the next one too. Returns the run's new state.
 */
export async function giveUpLease(
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
    await store.end(tx, orgId, run.id, {
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
