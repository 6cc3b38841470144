import type { Bus } from "../../../platform/bus.ts";
import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { defineState } from "../../../platform/state.ts";

const topic = "automation-work";

/** Tells the runners of a member, and those of the whole organization, to look for work or cancellations. */
export const announceWork = (bus: Bus, tx: Db, orgId: OrgId, memberId: string) =>
  bus.publish(tx, topic, `${orgId} ${memberId}`);

export interface WorkListener {
  /** A run of this member can be claimed or must stop. */
  onWork(memberId: string): void;
  /** Announcements may have been lost. */
  onGap(): void;
}

/** Who listens to the work of an organization. All listeners of a process share one subscription to the bus. */
export const workListeners = defineState({ name: "work listeners", create: createWorkListeners });

function createWorkListeners({ bus }: Pick<Platform, "bus">) {
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
  return {
    /** Returns a function that removes the listener. */
    add(orgId: OrgId, listener: WorkListener): () => void {
      const set = byOrganization.get(orgId) ?? new Set();
      byOrganization.set(orgId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && byOrganization.get(orgId) === set) byOrganization.delete(orgId);
      };
    },
  };
}
