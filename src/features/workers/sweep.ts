import type { Platform } from "../../platform/context.ts";
import { recordAsSystem } from "../audit/index.ts";
import { announce } from "../notifications/index.ts";
import { recordStates } from "./activity/index.ts";
import { removeWorker } from "./service.ts";
import * as store from "./store.ts";

const batchSize = 500;

/** The notices of `worker_states`. A worker that is seen again gets them again later. */
const notices = { lost: 1, removalDue: 2 } as const;

/** Records the states that have changed in the timelines. One process at a time does it; the others skip it. */
export async function sweepStates({ db }: Pick<Platform, "db">): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await store.takeSweepAcrossOrganizations(tx))) return;
    for (const { orgId, workerId, to } of await recordStates(tx)) {
      if (to !== "lost" || (await store.noteNotice(tx, orgId, workerId, notices.lost)) === 0) continue;
      const worker = await store.find(tx, orgId, workerId);
      if (!worker || worker.kind === "ephemeral") continue;
      const { name, lastSeenAt, removedAt } = worker;
      await announce(tx, orgId, {
        type: "worker.unseen",
        stage: "lost",
        workerId,
        name,
        lastSeenAt,
        removedAt,
      });
    }
  });
}

/** Announces the removal of workers that were not seen for long, and removes them when their time is over. */
export async function removeUnseen(platform: Pick<Platform, "db" | "bus">): Promise<void> {
  const { db } = platform;
  for (;;) {
    const unseen = await store.listUnseenAcrossOrganizations(db, batchSize);
    for (const worker of unseen) {
      if (worker.isDue) await removeOne(platform, worker);
      else await announceRemoval(platform, worker);
    }
    if (unseen.length < batchSize) return;
  }
}

async function announceRemoval({ db }: Pick<Platform, "db">, worker: store.UnseenWorker): Promise<void> {
  const { id, orgId, name, lastSeenAt, removedAt } = worker;
  await db.transaction(async (tx) => {
    if ((await store.noteNotice(tx, orgId, id, notices.removalDue)) === 0) return;
    await announce(tx, orgId, {
      ...{ type: "worker.unseen", stage: "removal_due", workerId: id, name, lastSeenAt, removedAt },
    });
  });
}

async function removeOne(platform: Pick<Platform, "db" | "bus">, worker: store.UnseenWorker): Promise<void> {
  const { id, orgId, name, lastSeenAt, removedAt } = worker;
  await platform.db.transaction(async (tx) => {
    // A heartbeat may have arrived since the list was read, or another process was first.
    if (!(await store.lockIfUnseen(tx, orgId, id))) return;
    await removeWorker(platform, tx, orgId, id);
    await recordAsSystem(tx, orgId, {
      action: "worker.removed",
      target: { type: "worker", id },
      before: { name, lastSeenAt },
      after: { reason: "not_seen" },
    });
    await announce(tx, orgId, {
      ...{ type: "worker.unseen", stage: "removed", workerId: id, name, lastSeenAt, removedAt },
    });
  });
}
