import { isDeepStrictEqual } from "node:util";
import type { Db } from "../../../platform/db/index.ts";
import { notFound } from "../../../platform/errors.ts";
import type { HttpHeaders } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { lockConnector, type ScimCtx } from "../calls/index.ts";
import { userDefinition } from "../definitions/index.ts";
import { scimError } from "../errors.ts";
import { checkIfMatch, isUnchanged, type ListRequest, writeList } from "../messages/index.ts";
import { applyUserPatch } from "../patch/index.ts";
import { applyMappings, applyUser, deprovisionUser } from "../people/index.ts";
import type { Answer, Asked } from "../replies/index.ts";
import { type Attributes, readProjection, readUser, type UserResource } from "../resources/index.ts";
import { searchUsers } from "../search/index.ts";
import * as store from "./store.ts";
import { answer, writeUsers } from "./write.ts";

export async function create(ctx: ScimCtx, body: unknown, asked: Asked): Promise<Answer> {
  const { orgId } = ctx;
  const resource = { active: true, ...readUser(body) };
  return ctx.db.transaction(async (tx) => {
    const { connector } = await lockConnector(ctx, tx);
    await takeQuota(ctx, tx, orgId, "scim_users");
    const row = await store.insert(tx, orgId, connector.id, newId("scu"), resource);
    if (!row) throw nameTaken(resource.userName);
    const { memberId, isActive } = await applyUser(ctx, tx, orgId, connector, {
      ...row,
      active: resource.active,
    });
    const after = { ...toState(row), memberId };
    await record(ctx, tx, { action: "scim_user.created", target: toTarget(row.id), after });
    return answer(ctx, tx, { ...row, isActive }, asked);
  });
}

export async function read(ctx: ScimCtx, id: string, asked: Asked, headers: HttpHeaders) {
  const row = await requireUser(ctx, ctx.db, id);
  return isUnchanged(headers, row.version) ? { version: row.version } : answer(ctx, ctx.db, row, asked);
}

export async function list(ctx: ScimCtx, request: ListRequest) {
  const { db, orgId, connector } = ctx;
  const { total, rows } = await searchUsers(db, orgId, { ...request, connectorId: connector.id });
  const resources = await writeUsers(ctx, db, rows, readProjection(userDefinition, request));
  const isFull = rows.length === request.page.limit;
  return writeList(request, total, resources, isFull ? rows.at(-1)?.id : undefined);
}

/** A PUT without `active` does not change it, because Okta omits it when it updates a profile. */
export const replace = (ctx: ScimCtx, id: string, body: unknown, asked: Asked, headers: HttpHeaders) =>
  change(ctx, id, asked, headers, ({ active }) => ({ active, ...readUser(body) }));

export const patch = (ctx: ScimCtx, id: string, body: unknown, asked: Asked, headers: HttpHeaders) =>
  change(ctx, id, asked, headers, (before) => applyUserPatch(before, body));

async function change(
  ctx: ScimCtx,
  id: string,
  asked: Asked,
  headers: HttpHeaders,
  compute: (before: store.StoredUser) => UserResource,
): Promise<Answer> {
  const { orgId } = ctx;
  return ctx.db.transaction(async (tx) => {
    const { connector } = await lockConnector(ctx, tx);
    const before = await requireUser(ctx, tx, id);
    checkIfMatch(headers, before.version);
    const resource = { active: before.resource.active, ...compute(before.resource) };
    const isSame = isDeepStrictEqual(resource, before.resource);
    if (!isSame && (await store.isNameTaken(tx, orgId, connector.id, before.id, resource.userName)))
      throw nameTaken(resource.userName);
    const row = isSame ? before : (await store.update(tx, orgId, before.id, resource))!;
    if (findShownName(resource) !== findShownName(before.resource))
      await store.raiseVersionOfGroups(tx, orgId, before.id);
    const { isActive } = await applyUser(ctx, tx, orgId, connector, { ...row, active: resource.active });
    if (!isSame) {
      const names = listChangedNames(before.resource, resource);
      await record(ctx, tx, {
        action: "scim_user.changed",
        target: toTarget(row.id),
        before: toState(before),
        after: { ...toState(row), changed: names },
      });
    }
    return answer(ctx, tx, { ...row, isActive }, asked);
  });
}

export async function remove(ctx: ScimCtx, id: string, headers: HttpHeaders): Promise<void> {
  const { orgId } = ctx;
  await ctx.db.transaction(async (tx) => {
    const { connector } = await lockConnector(ctx, tx);
    const row = await requireUser(ctx, tx, id);
    checkIfMatch(headers, row.version);
    // Removes what the groups gave. Otherwise a user who is created again would still have it.
    await store.leaveGroups(tx, orgId, row.id);
    await applyMappings(ctx, tx, orgId, connector, [row.id]);
    await deprovisionUser(ctx, tx, orgId, connector, row);
    await store.remove(tx, orgId, row.id);
    const before = { ...toState(row), memberId: row.memberId };
    await record(ctx, tx, { action: "scim_user.removed", target: toTarget(row.id), before });
  });
}

async function requireUser({ orgId, connector }: ScimCtx, db: Db, id: string): Promise<store.UserRow> {
  const row = isId("scu", id) ? await store.find(db, orgId, connector.id, id) : undefined;
  if (!row) throw notFound("scim_user");
  return row;
}

/** What a group shows of its member. */
const findShownName = ({ displayName, userName }: UserResource) => displayName ?? userName;

const nameTaken = (userName: string) =>
  scimError(
    409,
    "uniqueness",
    `There is a user with the name ${userName}. Find it with a filter and change it.`,
  );

function listChangedNames(before: UserResource, after: UserResource): string[] {
  const [from, to] = [before, after] as unknown as [Attributes, Attributes];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].filter(
    (name) => !isDeepStrictEqual(from[name], to[name]),
  );
}

/** Audit entries are permanent, so they contain as little personal data as possible. */
const toState = ({ resource: { userName, externalId, active } }: store.UserRow) => ({
  userName,
  externalId: externalId ?? null,
  active,
});
const toTarget = (id: string) => ({ type: "scim_user", id });
