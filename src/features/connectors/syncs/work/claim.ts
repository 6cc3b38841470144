import { randomUUID } from "node:crypto";
import type { OrgId, Platform } from "../../../../platform/context.ts";
import type { Db } from "../../../../platform/db/index.ts";
import type { Release } from "../../../../platform/fair-queue.ts";
import type { SyncId } from "../store.ts";
import { failSync } from "./ending.ts";
import * as store from "./store.ts";

/** A sync that this process does, for as long as it renews its lease. */
export interface Claim {
  id: SyncId;
  attempt: number;
  /** What tells this taking of it from every other. */
  holder: string;
  target: store.TargetRow;
}

export const maxAttempts = 5;
/** Reading the repository may be what kills the process, and a retry would kill it again. */
const maxDeaths = 2;

/** How many organizations are considered at a time. */
const considered = 100;

/**
 * Claims the next sync of an organization that gets a place, or returns undefined. `enter` gives a place to an
 * organization that is within its share.
 */
export async function claimNext(
  { db }: Pick<Platform, "db">,
  enter: (orgId: OrgId) => Release | undefined = () => () => {},
): Promise<{ claim: Claim; release: Release } | undefined> {
  for (const { orgId } of await store.listWaitingAcrossOrganizations(db, considered)) {
    const release = enter(orgId);
    if (!release) continue;
    try {
      const claim = await claimOf(db, orgId);
      if (claim) return { claim, release };
    } catch (error) {
      release();
      throw error;
    }
    release();
  }
  return undefined;
}

async function claimOf(db: Db, orgId: OrgId): Promise<Claim | undefined> {
  for (;;) {
    const claim = await db.transaction((tx) => claimIn(tx, orgId));
    if (claim !== "settled") return claim;
  }
}

async function claimIn(tx: Db, orgId: OrgId): Promise<Claim | "settled" | undefined> {
  const target = await store.lockIdle(tx, orgId);
  if (!target) return undefined;
  const { id: connectorId, status } = target;
  const live = await store.listLive(tx, orgId, connectorId);
  // A worker that was a moment faster has it, or has done it: there may be others.
  if (live.some(({ held }) => held)) return "settled";
  const chosen = live.find((one) => one.due && one.status === "queued") ?? live.find(({ due }) => due);
  if (!chosen) return "settled";
  // Whatever else waits wants the ref as it is now, which is what this one reads.
  const others = live.filter((one) => one !== chosen).map(({ id }) => id);
  if (others.length > 0) await store.supersede(tx, orgId, others);
  const over = (code: string, message: string) =>
    failSync(
      tx,
      orgId,
      { id: chosen.id, connectorId, holder: null },
      {
        code,
        message,
        retryable: false,
        // The head that the interrupted attempt read: the sweep compares it.
        commit: chosen.commit,
        againInSeconds: null,
      },
    );
  if (status !== "active") {
    await over(
      `connector_${status}`,
      status === "disabled"
        ? "The connector was switched off before its turn came."
        : "The code host had ended the connection before its turn came.",
    );
    return "settled";
  }
  const deaths = chosen.workerDeaths + (chosen.status === "running" ? 1 : 0);
  if (deaths >= maxDeaths || chosen.attempt >= maxAttempts) {
    const times = deaths >= maxDeaths ? deaths : chosen.attempt;
    await over(
      "worker_lost",
      `The process ended ${times} times during this sync, so the sync is not retried automatically. Check the log and the memory of the service. Then retry the sync, or make the folder smaller.`,
    );
    return "settled";
  }
  const holder = randomUUID();
  await store.take(tx, orgId, chosen.id, holder, deaths);
  return { id: chosen.id, attempt: chosen.attempt + 1, holder, target };
}
