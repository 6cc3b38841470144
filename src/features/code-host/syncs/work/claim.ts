import { randomUUID } from "node:crypto";
import type { Release } from "@signalbox/flow-control";
import type { OrgId, Platform } from "../../../../platform/context.ts";
import type { Db } from "../../../../platform/db/index.ts";
import type { TargetRow } from "../../source/index.ts";
import type { SyncId } from "../store.ts";
import { failSync } from "./failure.ts";
import * as store from "./store.ts";

/** A sync that this process works on while it renews the lease. */
export interface Claim {
  id: SyncId;
  attempt: number;
  /** Identifies this claim. Another claim of the same sync has another holder. */
  holder: string;
  target: TargetRow;
}

export const maxAttempts = 5;
/** Reading the repository may be what kills the process, and a retry would kill it again. */
const maxDeaths = 2;

/** How many organizations are considered at a time. */
const maxOrganizations = 100;

/**
 * Claims the next sync of an organization that gets a place, or returns undefined. `enter` gives a place to an
 * organization that is within its share.
 */
export async function claimNext(
  { db }: Pick<Platform, "db">,
  enter: (orgId: OrgId) => Promise<Release | undefined> = async () => () => {},
): Promise<{ claim: Claim; release: Release } | undefined> {
  for (const { orgId } of await store.listWaitingAcrossOrganizations(db, maxOrganizations)) {
    const release = await enter(orgId);
    if (!release) continue;
    try {
      const claim = await claimForOrganization(db, orgId);
      if (claim) return { claim, release };
    } catch (error) {
      release();
      throw error;
    }
    release();
  }
  return undefined;
}

async function claimForOrganization(db: Db, orgId: OrgId): Promise<Claim | undefined> {
  for (;;) {
    const claim = await db.transaction((tx) => tryToClaim(tx, orgId));
    if (claim !== "retry") return claim;
  }
}

async function tryToClaim(tx: Db, orgId: OrgId): Promise<Claim | "retry" | undefined> {
  const target = await store.lockIdle(tx, orgId);
  if (!target) return undefined;
  const { id: connectorId, status } = target;
  const live = await store.listLive(tx, orgId, connectorId);
  // Another worker was faster. There may be other syncs.
  if (live.some(({ isHeld }) => isHeld)) return "retry";
  const chosen = live.find((one) => one.due && one.status === "queued") ?? live.find(({ due }) => due);
  if (!chosen) return "retry";
  // All waiting syncs want the current state of the ref, which this one reads.
  const others = live.filter((one) => one !== chosen).map(({ id }) => id);
  if (others.length > 0) await store.supersede(tx, orgId, others);
  const endSync = (code: string, message: string) =>
    failSync(
      tx,
      orgId,
      { id: chosen.id, connectorId, holder: null },
      {
        code,
        message,
        retryable: false,
        // The head that the interrupted attempt read. The comparison of heads needs it.
        commit: chosen.commit,
        retryInSeconds: null,
      },
    );
  if (status !== "active") {
    await endSync(
      `connector_${status}`,
      status === "disabled"
        ? "The connector was disabled before the sync started."
        : "The code host had ended the connection before its turn came.",
    );
    return "retry";
  }
  const deaths = chosen.workerDeaths + (chosen.status === "running" ? 1 : 0);
  if (deaths >= maxDeaths || chosen.attempt >= maxAttempts) {
    const times = deaths >= maxDeaths ? deaths : chosen.attempt;
    await endSync(
      "worker_lost",
      `The process ended ${times} times during this sync, so the sync is not retried automatically. Check the log and the memory of the service. Then retry the sync, or make the folder smaller.`,
    );
    return "retry";
  }
  const holder = randomUUID();
  await store.claim(tx, orgId, chosen.id, holder, deaths);
  return { id: chosen.id, attempt: chosen.attempt + 1, holder, target };
}
