import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { endUpgradesOfRollout, readDeadline, repeatMissedUpgrades, startUpgrade } from "../upgrades/index.ts";
import type { Rollout } from "./contract.ts";
import * as store from "./store.ts";

interface NewRollout {
  version: string;
  percent: number;
  labels: readonly string[];
  deadlineAt?: number | undefined;
}

/** Workers that are asked in the request itself. The job asks the others. */
const maxAtOnce = 100;
/** How many ended rollouts are kept. */
const maxEnded = 200;

export async function create(ctx: MemberCtx, { version, percent, labels, deadlineAt }: NewRollout) {
  const { orgId, member } = ctx;
  const deadlineSeconds = readDeadline(deadlineAt);
  return ctx.db.transaction(async (tx) => {
    await store.lockCreation(tx, orgId);
    for (const earlier of await store.listActive(tx, orgId, labels))
      await endRollout(tx, orgId, earlier.id, `Replaced by a rollout of ${version}.`);
    await takeQuota(ctx, tx, orgId, "worker_rollouts");
    await store.removeOldest(tx, orgId, maxEnded);
    const id = newId("wro");
    const next = { id, version, percent, labels: [...new Set(labels)].sort() };
    await store.insert(tx, orgId, { ...next, deadlineSeconds, createdBy: member.id });
    await askWorkers(tx, orgId, { ...next, deadlineSeconds });
    await record(ctx, tx, { action: "worker_rollout.created", target: toTarget(id), after: next });
    return { rollout: (await store.find(tx, orgId, id))! };
  });
}

/** Requests the upgrade of workers that the rollout includes and has not asked yet. Returns how many. */
async function askWorkers(
  tx: Db,
  orgId: OrgId,
  { id, version, deadlineSeconds }: Pick<Rollout, "id" | "version" | "deadlineSeconds">,
): Promise<number> {
  const workers = await store.lockToUpgrade(tx, orgId, id, maxAtOnce);
  for (const { workerId } of workers)
    await startUpgrade(tx, orgId, workerId, { version, rolloutId: id, seconds: deadlineSeconds });
  return workers.length;
}

export async function list({ db, orgId }: MemberCtx, query: PageQuery) {
  return cutPageById(await store.list(db, orgId, readIdCursor(query, "wro"), query.limit + 1), query);
}

export async function read({ db, orgId }: MemberCtx, id: string) {
  const rollout = isId("wro", id) ? await store.find(db, orgId, id) : undefined;
  if (!rollout) throw notFound("worker_rollout");
  return { rollout };
}

export async function widen(ctx: MemberCtx, id: string, { percent }: { percent: number }) {
  const { orgId } = ctx;
  return ctx.db.transaction(async (tx) => {
    const rollout = isId("wro", id) ? await store.lock(tx, orgId, id) : undefined;
    if (!rollout || !isId("wro", id)) throw notFound("worker_rollout");
    if (rollout.endedAt !== null)
      throw conflict(
        "rollout_ended",
        "This rollout has ended. Start another one with POST /v1/worker-rollouts.",
      );
    if (percent < rollout.percent)
      throw conflict(
        "rollout_not_smaller",
        "A rollout only grows. To go back, start a rollout of the earlier version.",
      );
    await store.setPercent(tx, orgId, id, percent);
    await askWorkers(tx, orgId, rollout);
    await record(ctx, tx, {
      action: "worker_rollout.widened",
      target: toTarget(id),
      before: { percent: rollout.percent },
      after: { percent },
    });
    return { rollout: (await store.find(tx, orgId, id))! };
  });
}

export async function end(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const rollout = isId("wro", id) ? await store.lock(tx, ctx.orgId, id) : undefined;
    if (!rollout) throw notFound("worker_rollout");
    if (rollout.endedAt !== null) return;
    await endRollout(tx, ctx.orgId, id, "The rollout was ended.");
    await record(ctx, tx, { action: "worker_rollout.ended", target: toTarget(id) });
  });
}

async function endRollout(tx: Db, orgId: OrgId, id: string, reason: string): Promise<void> {
  await store.end(tx, orgId, id);
  await endUpgradesOfRollout(tx, orgId, id, reason);
}

/**
 * Asks workers that have registered, connected or finished another upgrade since their rollout was made, and those that
 * were off. Returns how many were asked.
 */
export async function continueRolloutsOfOrganization(tx: Db, orgId: OrgId): Promise<number> {
  let asked = 0;
  for (const rollout of await store.lockAllActive(tx, orgId)) asked += await askWorkers(tx, orgId, rollout);
  return asked + (await repeatMissedUpgrades(tx, orgId, maxAtOnce));
}

const toTarget = (id: string) => ({ type: "worker_rollout", id });
