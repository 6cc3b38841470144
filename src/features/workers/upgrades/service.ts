import type { MachineCtx, MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, invalidField, notFound } from "../../../platform/errors.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { recordActivity } from "../activity/index.ts";
import { requireSelf } from "../tokens/index.ts";
import type { Upgrade } from "./contract.ts";
import * as store from "./store.ts";

const defaultSeconds = 3600;
const maxSeconds = 30 * 24 * 3600;

/** How long an upgrade may take, in seconds. */
export function readDeadline(deadlineAt: number | undefined): number {
  if (deadlineAt === undefined) return defaultSeconds;
  const seconds = Math.round((deadlineAt - Date.now()) / 1000);
  if (seconds < 1 || seconds > maxSeconds)
    throw invalidField(["deadlineAt"], "The deadline must be in the future, within 30 days.");
  return seconds;
}

interface UpgradeRequest {
  version: string;
  deadlineAt?: number | undefined;
}

export async function request(ctx: MemberCtx, id: string, { version, deadlineAt }: UpgradeRequest) {
  const { orgId } = ctx;
  const seconds = readDeadline(deadlineAt);
  if (!isId("wrk", id)) throw notFound("worker");
  return ctx.db.transaction(async (tx) => {
    const upgrade = await startUpgrade(tx, orgId, id, { version, rolloutId: null, seconds });
    if (!upgrade) throw notFound("worker");
    await record(ctx, tx, {
      action: "worker.upgrade_requested",
      target: { type: "worker", id },
      after: { upgradeId: upgrade.id, version },
    });
    return { upgrade };
  });
}

interface NewUpgrade {
  version: string;
  rolloutId: string | null;
  seconds: number;
  /** The version that was wanted before. Omitted: the one that is wanted now. */
  desiredBefore?: string | null;
}

/** Replaces an upgrade that is under way. Undefined when there is no such worker. */
export async function startUpgrade(
  tx: Db,
  orgId: OrgId,
  workerId: string,
  { version, rolloutId, seconds, desiredBefore }: NewUpgrade,
): Promise<Upgrade | undefined> {
  const found = await store.lockWorker(tx, orgId, workerId);
  if (!found) return undefined;
  if (found.upgradeId !== null)
    await endUpgrade(tx, orgId, found.upgradeId, "cancelled", `Replaced by an upgrade to ${version}.`);
  await store.forgetMissed(tx, orgId, workerId);
  // Read again, because the end of the replaced upgrade has changed what is wanted.
  const worker = (await store.lockWorker(tx, orgId, workerId))!;
  const id = newId("wup");
  const upgrade = (await store.insert(tx, orgId, {
    ...{ id, workerId, rolloutId, version },
    fromVersion: worker.version,
    desiredBefore: desiredBefore === undefined ? worker.desiredVersion : desiredBefore,
    deadlineAt: Date.now() + seconds * 1000,
  }))!;
  await store.setDesired(tx, orgId, workerId, version, id);
  await recordChange(tx, orgId, upgrade);
  // It may run the version already.
  return (worker.version === version && (await endUpgrade(tx, orgId, id, "upgraded", null))) || upgrade;
}

const recordChange = (tx: Db, orgId: OrgId, { id, workerId, version, state, reason }: Upgrade) =>
  recordActivity(tx, orgId, workerId, "upgrade_changed", {
    ...{ upgradeId: id, version, state },
    ...(reason === null ? {} : { reason }),
  });

/** The worker must be locked: every transaction locks a worker before its upgrades. */
export async function endUpgrade(
  tx: Db,
  orgId: OrgId,
  id: string,
  state: "upgraded" | "failed" | "timed_out" | "cancelled",
  reason: string | null,
): Promise<Upgrade | undefined> {
  const ended = await store.end(tx, orgId, id, { state, reason });
  if (ended) await recordChange(tx, orgId, ended);
  return ended;
}

/** A worker that reports the version of its upgrade has done it. */
export async function endUpgradeByVersion(tx: Db, orgId: OrgId, workerId: string, version: string) {
  const worker = await store.lockWorker(tx, orgId, workerId);
  const open = worker?.upgradeId && (await store.find(tx, orgId, workerId, worker.upgradeId));
  if (open && open.version === version) await endUpgrade(tx, orgId, open.id, "upgraded", null);
}

interface Progress {
  upgradeId: string;
  state: "acknowledged" | "draining" | "failed";
  reason?: string | undefined;
}

export async function report(ctx: MachineCtx, id: string, { upgradeId, state, reason }: Progress) {
  const workerId = requireSelf(ctx, id);
  const { orgId } = ctx;
  return ctx.db.transaction(async (tx) => {
    await store.lockWorker(tx, orgId, workerId);
    const current = isId("wup", upgradeId) && (await store.find(tx, orgId, workerId, upgradeId));
    if (!current) throw notFound("worker_upgrade");
    // A report is repeated when its reply was lost.
    if (current.state === state) return { upgrade: current };
    if (current.endedAt !== null)
      throw conflict(
        "upgrade_ended",
        `This upgrade is ${current.state.replace("_", " ")}. Nothing is to be done.`,
      );
    if (state === "failed") {
      const why = reason || "The worker gave no reason.";
      return { upgrade: (await endUpgrade(tx, orgId, upgradeId, "failed", why))! };
    }
    const advanced = await store.advance(tx, orgId, upgradeId, state);
    if (advanced) await recordChange(tx, orgId, advanced);
    return { upgrade: advanced ?? current };
  });
}

export async function list({ db, orgId }: MemberCtx, id: string, query: PageQuery) {
  if (!isId("wrk", id) || !(await store.hasWorker(db, orgId, id))) throw notFound("worker");
  return cutPageById(await store.list(db, orgId, id, readIdCursor(query, "wup"), query.limit + 1), query);
}

/** Ends the upgrades of a rollout that no worker has acknowledged. Those that were not made are not wanted any more. */
export async function endUpgradesOfRollout(
  tx: Db,
  orgId: OrgId,
  rolloutId: string,
  reason: string,
): Promise<void> {
  await store.lockWorkersOfRollout(tx, orgId, rolloutId);
  for (const { id } of await store.listUnacknowledged(tx, orgId, rolloutId))
    await endUpgrade(tx, orgId, id, "cancelled", reason);
  await store.dropFailedOfRollout(tx, orgId, rolloutId);
}

/** Requests upgrades again that workers missed because they were off. Returns how many. */
export async function repeatMissedUpgrades(tx: Db, orgId: OrgId, limit: number): Promise<number> {
  const due = await store.lockDueAgain(tx, orgId, limit);
  for (const { workerId, ...upgrade } of due) await startUpgrade(tx, orgId, workerId, upgrade);
  return due.length;
}
