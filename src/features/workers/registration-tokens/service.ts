import type { MachineCtx, MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, invalidField, notFound, unauthorized } from "../../../platform/errors.ts";
import {
  cutPageById,
  invalidateCallers,
  type PageQuery,
  readIdCursor,
} from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import { record } from "../../audit/index.ts";
import { keepCredential } from "../../credentials/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { checkAssignments, checkMayGetToken } from "../assignments/index.ts";
import { limitToOwner } from "../owners/index.ts";
import { addWorker, instanceTaken, refuseTakenNames, replaceToken } from "../service.ts";
import { findByInstance } from "../store.ts";
import { overlapHours } from "../tokens/index.ts";
import type { NewRegistrationToken, Registration, RegistrationToken } from "./contract.ts";
import { registrationPrefix } from "./credential.ts";
import * as store from "./store.ts";

/** The last day of the year 9999, after which ISO 8601 needs an extended format. */
const maxExpiresAt = Date.UTC(9999, 11, 31);

export async function list({ db, orgId }: MemberCtx, query: PageQuery) {
  return cutPageById(await store.list(db, orgId, readIdCursor(query, "wrt"), query.limit + 1), query);
}

export async function create(ctx: MemberCtx, input: NewRegistrationToken) {
  const { orgId, member } = ctx;
  const { maxUses = null, expiresAt = null } = input;
  if (expiresAt !== null && expiresAt <= Date.now())
    throw invalidField(["expiresAt"], "The time must be in the future.");
  if (expiresAt !== null && expiresAt > maxExpiresAt)
    throw invalidField(["expiresAt"], "This is too far in the future.");
  return ctx.db.transaction(async (tx) => {
    await takeQuota(ctx, tx, orgId, "worker_registration_tokens");
    await keepCredential(ctx, tx);
    await checkAssignments(ctx, tx, { ...input, ownerId: member.id });
    const id = newId("wrt");
    const owner = { memberId: member.id, permissions: limitToOwner(member) };
    await store.insert(tx, orgId, { ...input, ...owner, id, maxUses, expiresAt });
    return addSecret(ctx, tx, id, "worker_registration_token.created");
  });
}

async function addSecret(ctx: MemberCtx, tx: Db, id: string, action: `worker_registration_token.${string}`) {
  const token = newToken(registrationPrefix);
  const start = token.slice(0, registrationPrefix.length + 6);
  await store.insertSecret(tx, ctx.orgId, id, { hash: hashSecret(token), start });
  const registrationToken = (await store.find(tx, ctx.orgId, id))!;
  const { secrets: _, ...after } = registrationToken;
  await record(ctx, tx, { action, target: toTarget(id), after: { ...after, start } });
  return { registrationToken, token };
}

export async function rotate(
  ctx: MemberCtx,
  id: string,
  { endEarlierSecrets }: { endEarlierSecrets: boolean },
) {
  const { orgId, member } = ctx;
  return ctx.db.transaction(async (tx) => {
    checkMayGetToken(ctx, await requireToken(tx, ctx, id));
    // With the secret and the instance id of a worker, one gets a token of that worker.
    checkMayGetToken(ctx, await store.listGivenToWorkers(tx, orgId, id));
    await store.expireSecrets(tx, orgId, id, endEarlierSecrets ? 0 : overlapHours);
    await keepCredential(ctx, tx);
    // Whoever knows the secret can register a worker, so it must not act for somebody else.
    await store.setOwner(tx, orgId, id, member.id, limitToOwner(member));
    await invalidateCallers(ctx.bus, tx, id);
    return addSecret(ctx, tx, id, "worker_registration_token.rotated");
  });
}

async function requireToken(tx: Db, { orgId }: MemberCtx, id: string) {
  const token = isId("wrt", id) ? await store.lock(tx, orgId, id) : undefined;
  if (!token) throw notFound("worker_registration_token");
  return token;
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const { name } = await requireToken(tx, ctx, id);
    await store.remove(tx, ctx.orgId, id);
    await invalidateCallers(ctx.bus, tx, id);
    await record(ctx, tx, {
      action: "worker_registration_token.removed",
      target: toTarget(id),
      before: { name },
    });
  });
}

export const register = (ctx: MachineCtx, registration: Registration) =>
  refuseTakenNames(() => ctx.db.transaction((tx) => registerInside(ctx, tx, registration)));

async function registerInside(
  ctx: MachineCtx,
  tx: Db,
  { instanceId, name = instanceId, labels }: Registration,
) {
  const { orgId, caller } = ctx;
  const token = await store.lock(tx, orgId, caller.credentialId);
  // Removed or rotated since the request began. It has waited for that, because the token is locked.
  if (!token || !(await store.isValidSecret(tx, orgId, token.id, caller.madeWith ?? "")))
    throw unauthorized("invalid_token", "The token is unknown, has expired or was revoked.");
  const owner = { memberId: token.ownerId, permissions: token.permissions };
  const known = await findByInstance(tx, orgId, instanceId);
  if (known) {
    if (known.registrationTokenId !== token.id) throw instanceTaken();
    return replaceToken(ctx, tx, orgId, { workerId: known.id, ...owner });
  }
  checkUses(token);
  await store.countUse(tx, orgId, token.id);
  const { kind, templateIds, connectionIds, mcpConnectionIds } = token;
  // Providers may have been removed since the token was made.
  const llmProviderIds = await store.listExistingProviders(tx, orgId, token.llmProviderIds);
  const settings = {
    ...{ kind, templateIds, connectionIds, llmProviderIds, mcpConnectionIds, ...owner, instanceId, name },
    configuration: null,
    labels: [...new Set([...token.labels, ...labels])].sort(),
    registrationTokenId: token.id,
  };
  // Machines of one image often have the same name.
  return addWorker(ctx, tx, orgId, settings, `${name.slice(0, 60)}-${newId("wrk").slice(-10)}`);
}

function checkUses({ uses, maxUses }: RegistrationToken): void {
  if (maxUses !== null && uses >= maxUses)
    throw conflict(
      "registration_token_used_up",
      `${maxUses === 1 ? "One worker has" : `${maxUses} workers have`} registered with this token, which is its limit. Create another one.`,
    );
}

const toTarget = (id: string) => ({ type: "worker_registration_token", id });
