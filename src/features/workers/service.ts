import { isDeepStrictEqual } from "node:util";
import type { Ctx, MemberCtx, MemberId, OrgId } from "../../platform/context.ts";
import { type Db, violatedConstraint } from "../../platform/db/index.ts";
import { conflict, invalidField, notFound } from "../../platform/errors.ts";
import { invalidateCallers, type PageQuery, readPage } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import { removeRunner } from "../automations/index.ts";
import { setWorkerGrants } from "../llm-providers/index.ts";
import { takeQuota } from "../quotas/index.ts";
import { recordActivity, recordLimitedActivity } from "./activity/index.ts";
import { checkAssignments, checkMayGetToken } from "./assignments/index.ts";
import type { NewWorker, Worker, WorkerChange } from "./contract.ts";
import { isWithinRights, limitToOwner } from "./owners/index.ts";
import * as store from "./store.ts";
import { addToken, expireTokens, listTokens, overlapHours, type WorkerId } from "./tokens/index.ts";

interface ListQuery extends PageQuery {
  state?: string | undefined;
  liveness?: string | undefined;
  kind?: string | undefined;
  label?: string | undefined;
}

export const list = ({ db, orgId }: MemberCtx, query: ListQuery) => {
  const { state = null, liveness = null, kind = null, label = null } = query;
  return readPage(store.list(db, orgId, { state, liveness, kind, label }), query, "wrk");
};

export async function read({ db, orgId }: MemberCtx, id: string) {
  const worker = await requireWorker(db, orgId, id);
  return { worker, tokens: await listTokens(db, orgId, worker.id) };
}

async function requireWorker(db: Db, orgId: OrgId, id: string): Promise<Worker> {
  const worker = isId("wrk", id) ? await store.find(db, orgId, id) : undefined;
  if (!worker) throw notFound("worker");
  return worker;
}

async function lockWorker(tx: Db, orgId: OrgId, id: string): Promise<Worker> {
  const worker = isId("wrk", id) ? await store.lock(tx, orgId, id) : undefined;
  if (!worker) throw notFound("worker");
  return worker;
}

export function create(ctx: MemberCtx, { configuration, ...input }: NewWorker) {
  const { orgId, member } = ctx;
  return refuseTakenNames(() =>
    ctx.db.transaction(async (tx) => {
      await checkAssignments(ctx, tx, { ...input, ownerId: member.id });
      return addWorker(ctx, tx, orgId, {
        ...input,
        configuration: configuration ?? null,
        memberId: member.id,
        permissions: limitToOwner(member),
        instanceId: null,
        registrationTokenId: null,
      });
    }),
  );
}

export type WorkerSettings = Omit<Parameters<typeof store.insert>[2], "id"> & {
  llmProviderIds: readonly string[];
};

/** Adds a worker with its first token. `otherName` is used when its name is taken; without it, this is refused. */
export async function addWorker(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  settings: WorkerSettings,
  otherName?: string,
) {
  await takeQuota(ctx, tx, orgId, "workers");
  const id = newId("wrk");
  const insert = (name: string) => store.insert(tx, orgId, { ...settings, name, id });
  const isAdded = (await insert(settings.name)) || (otherName !== undefined && (await insert(otherName)));
  if (!isAdded) throw nameTaken();
  await setWorkerGrants(tx, orgId, id, settings.llmProviderIds);
  const { token, tokenId, start } = await addToken(tx, orgId, id);
  await recordActivity(tx, orgId, id, "registered", { kind: settings.kind });
  const worker = (await store.find(tx, orgId, id))!;
  await record(ctx, tx, {
    action: "worker.registered",
    target: toTarget(id),
    after: { ...toAudited(worker), tokenId, start },
  });
  return { worker, token };
}

export async function change(ctx: MemberCtx, id: string, input: WorkerChange) {
  const { orgId, member } = ctx;
  return refuseTakenNames(() =>
    ctx.db.transaction(async (tx) => {
      const before = await lockWorker(tx, orgId, id);
      const { name = before.name, labels = before.labels, configuration = before.configuration } = input;
      const { templateIds = before.templateIds, connectionIds = before.connectionIds } = input;
      const { llmProviderIds = before.llmProviderIds } = input;
      const ownerId = input.takeOver ? member.id : before.ownerId;
      const { mcpConnectionIds = before.mcpConnectionIds } = input;
      const assigned = { templateIds, connectionIds, llmProviderIds, mcpConnectionIds, ownerId };
      await checkAssignments(ctx, tx, assigned, before);
      if (input.llmProviderIds) await setWorkerGrants(tx, orgId, id, llmProviderIds);
      const isConfigured = !isDeepStrictEqual(configuration, before.configuration);
      await store.update(tx, orgId, id, {
        ...{ name, labels, templateIds, connectionIds, mcpConnectionIds, configuration },
        configurationRevision: before.configurationRevision + (isConfigured ? 1 : 0),
      });
      if (input.takeOver) await takeOver(ctx, tx, id);
      return finishChange(ctx, tx, "worker.changed", before);
    }),
  );
}

/** The worker acts for the caller from now on. Tokens of its runner, which act for the earlier owner, end. */
async function takeOver(ctx: MemberCtx, tx: Db, id: string): Promise<void> {
  await store.setOwner(tx, ctx.orgId, id, ctx.member.id, limitToOwner(ctx.member));
  await removeRunner(tx, ctx.orgId, id);
  await invalidateCallers(ctx.bus, tx, id);
}

async function finishChange(ctx: MemberCtx, tx: Db, action: `worker.${string}`, before: Worker) {
  const worker = (await store.find(tx, ctx.orgId, before.id))!;
  const [earlier, later] = [toAudited(before), toAudited(worker)];
  await record(ctx, tx, { action, target: toTarget(before.id), before: earlier, after: later });
  return { worker };
}

/** The last day of the year 9999, after which ISO 8601 needs an extended format. */
const maxPauseUntil = Date.UTC(9999, 11, 31);

interface Pause {
  note: string;
  until?: number | undefined;
}

export async function pause(ctx: MemberCtx, id: string, { note, until }: Pause) {
  const end = until ?? null;
  if (end !== null && end <= Date.now()) throw invalidField(["until"], "The time must be in the future.");
  if (end !== null && end > maxPauseUntil)
    throw invalidField(["until"], "This is too far in the future. Leave it out to pause without an end.");
  return ctx.db.transaction(async (tx) => {
    const before = await lockWorker(tx, ctx.orgId, id);
    await store.setPause(tx, ctx.orgId, id, { note, until: end });
    await recordActivity(tx, ctx.orgId, id, "paused", { note, until: end });
    // Its runner takes no more runs.
    await invalidateCallers(ctx.bus, tx, id);
    return finishChange(ctx, tx, "worker.paused", before);
  });
}

export async function resume(ctx: MemberCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    const before = await lockWorker(tx, ctx.orgId, id);
    if (before.pause === null) return { worker: before };
    await store.setPause(tx, ctx.orgId, id, { note: null, until: null });
    await recordActivity(tx, ctx.orgId, id, "resumed");
    await invalidateCallers(ctx.bus, tx, id);
    return finishChange(ctx, tx, "worker.resumed", before);
  });
}

export async function drain(ctx: MemberCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    const before = await lockWorker(tx, ctx.orgId, id);
    if (before.drainRequestedAt !== null) return { worker: before };
    await store.requestDrain(tx, ctx.orgId, id);
    await recordActivity(tx, ctx.orgId, id, "drain_requested");
    await invalidateCallers(ctx.bus, tx, id);
    return finishChange(ctx, tx, "worker.drain_requested", before);
  });
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const worker = await lockWorker(tx, ctx.orgId, id);
    await removeWorker(ctx, tx, ctx.orgId, worker.id);
    await record(ctx, tx, { action: "worker.removed", target: toTarget(id), before: toAudited(worker) });
  });
}

/** Ends its tokens and its runner on every replica. The caller records it. */
export async function removeWorker(
  { bus }: Pick<Ctx, "bus">,
  tx: Db,
  orgId: OrgId,
  id: string,
): Promise<void> {
  await removeRunner(tx, orgId, id);
  await store.remove(tx, orgId, id);
  await invalidateCallers(bus, tx, id);
}

export async function rotateToken(
  ctx: MemberCtx,
  id: string,
  { endEarlierTokens }: { endEarlierTokens: boolean },
) {
  const { orgId } = ctx;
  return ctx.db.transaction(async (tx) => {
    const before = await lockWorker(tx, orgId, id);
    checkMayGetToken(ctx, before);
    await expireTokens(tx, orgId, before.id, endEarlierTokens ? 0 : overlapHours);
    const { token, tokenId, start } = await addToken(tx, orgId, before.id);
    // Whoever has a token can do what the worker can: not for somebody else, and not more than the caller.
    if (!(await isWithinRights(tx, ctx, id))) await takeOver(ctx, tx, id);
    // Whoever knew an earlier token may have got a token for the runner with it.
    else if (endEarlierTokens) await removeRunner(tx, orgId, id);
    await recordActivity(tx, orgId, id, "token_rotated", { start, endEarlierTokens });
    await invalidateCallers(ctx.bus, tx, id);
    await record(ctx, tx, {
      action: "worker.token_rotated",
      target: toTarget(id),
      after: { tokenId, start, endEarlierTokens },
    });
    return { worker: (await store.find(tx, orgId, id))!, token };
  });
}

interface ReplacedToken {
  workerId: WorkerId;
  memberId: MemberId;
  permissions: readonly string[];
}

/** Gives a worker that registers again a new token. It has lost its earlier ones, so they end. */
export async function replaceToken(ctx: Ctx, tx: Db, orgId: OrgId, { workerId, ...owner }: ReplacedToken) {
  await expireTokens(tx, orgId, workerId, 0);
  const { token, tokenId, start } = await addToken(tx, orgId, workerId);
  await store.setOwner(tx, orgId, workerId, owner.memberId, owner.permissions);
  await removeRunner(tx, orgId, workerId);
  await invalidateCallers(ctx.bus, tx, workerId);
  await recordLimitedActivity(tx, orgId, workerId, "registered", { again: true });
  await record(ctx, tx, {
    action: "worker.registered",
    target: toTarget(workerId),
    after: { tokenId, start, again: true },
  });
  return { worker: (await store.find(tx, orgId, workerId))!, token };
}

/** What people decide about a worker, without what is seen of it. */
const toAudited = (worker: Worker) => {
  const { name, kind, labels, templateIds, connectionIds, ownerId, pause, drainRequestedAt } = worker;
  const { llmProviderIds, mcpConnectionIds, configuration, configurationRevision } = worker;
  return {
    ...{ name, kind, labels, templateIds, connectionIds, ownerId, pause, drainRequestedAt },
    ...{ llmProviderIds, mcpConnectionIds, configuration, configurationRevision },
  };
};
const toTarget = (id: string) => ({ type: "worker", id });

const nameTaken = () =>
  conflict("worker_name_taken", "Another worker has this name. Choose a different name.");

export async function refuseTakenNames<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) === "workers_name") throw nameTaken();
    if (violatedConstraint(error) === "workers_instance") throw instanceTaken();
    throw error;
  }
}

export const instanceTaken = () =>
  conflict(
    "instance_taken",
    "A worker with this instance id was registered with another token. Choose another instance id, or remove that worker.",
  );
