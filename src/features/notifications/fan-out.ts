import type { OrgId, Platform } from "../../platform/context.ts";
import { queueDeliveries } from "./deliveries/index.ts";
import { addToDigests } from "./digests/index.ts";
import { listRecipients } from "./settings/index.ts";
import * as store from "./store.ts";
import { describeFact } from "./subjects.ts";

const batchSize = 100;
/** After this many failures an event is dropped, so that it is not retried forever. */
const maxFailures = 10;

/** Turns announced events into webhook deliveries and digest mails. Each event is processed by one process only. */
export async function fanOut(platform: Platform): Promise<void> {
  for (;;) {
    const waiting = await store.listWaitingAcrossOrganizations(platform.db, batchSize);
    for (const { orgId, id } of waiting) await fanOutEvent(platform, orgId, id);
    if (waiting.length < batchSize || !platform.jobs.isReady()) return;
  }
}

async function fanOutEvent(platform: Platform, orgId: OrgId, id: string): Promise<void> {
  const { db, log } = platform;
  try {
    await db.transaction(async (tx) => {
      const event = await store.lockWaiting(tx, orgId, id);
      if (!event) return;
      const { fact, createdAt } = event;
      const subject = await describeFact(platform, tx, orgId, fact);
      if (subject) {
        const { data, topic } = subject;
        await queueDeliveries(tx, orgId, { id, type: fact.type, createdAt, data });
        const memberIds = await listRecipients(tx, orgId, fact.type, subject.memberId);
        await addToDigests(tx, orgId, {
          memberIds,
          topic,
          type: fact.type,
          item: { ...data, at: createdAt },
        });
      }
      // A run attempt fails once, so its key is not needed again. Other keys prevent announcing the same failure twice.
      if (fact.type === "run.failed") await store.remove(tx, orgId, id);
      else await store.markFannedOut(tx, orgId, id);
    });
  } catch (error) {
    const isDropped = await store.postpone(db, orgId, id, maxFailures);
    log[isDropped ? "error" : "warn"]({ eventId: id, err: error }, "notification event not fanned out");
  }
}
