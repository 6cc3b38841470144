import { isDeepStrictEqual } from "node:util";
import type { Db } from "../../../platform/db/index.ts";
import { notFound } from "../../../platform/errors.ts";
import type { HttpHeaders } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { lockConnector, type ScimCtx } from "../calls/index.ts";
import { groupDefinition } from "../definitions/index.ts";
import { invalidValue, scimError } from "../errors.ts";
import { checkIfMatch, isUnchanged, type ListRequest, writeList } from "../messages/index.ts";
import { applyGroupPatch, type MemberChanges } from "../patch/index.ts";
import { applyMappings } from "../people/index.ts";
import type { Answer, Asked } from "../replies/index.ts";
import { type GroupResource, isReturned, readGroup, readProjection } from "../resources/index.ts";
import { type GroupRow, searchGroups } from "../search/index.ts";
import * as store from "./store.ts";
import { answer, writeGroups } from "./write.ts";

const toChanges = (members: string[] | undefined): MemberChanges => ({
  ...(members ? { replaceAll: members } : {}),
  add: [],
  remove: [],
});

export async function create(ctx: ScimCtx, body: unknown, asked: Asked): Promise<Answer> {
  const { orgId, connector } = ctx;
  const { resource, members } = readGroup(body);
  return ctx.db.transaction(async (tx) => {
    const locked = await lockConnector(ctx, tx);
    await takeQuota(ctx, tx, orgId, "scim_groups");
    const row = await store.insert(tx, orgId, connector.id, newId("scg"), resource);
    if (!row) throw nameTaken(resource.displayName);
    const { added } = await changeMembers(ctx, tx, row.id, toChanges(members));
    await follow(locked, tx, added);
    const after = { ...toState(row), membersAdded: added.length };
    await record(ctx, tx, { action: "scim_group.created", target: toTarget(row.id), after });
    return answer(ctx, tx, row, asked);
  });
}

export async function read(ctx: ScimCtx, id: string, asked: Asked, headers: HttpHeaders) {
  const row = await requireGroup(ctx, ctx.db, id);
  return isUnchanged(headers, row.version) ? { version: row.version } : answer(ctx, ctx.db, row, asked);
}

/** The most members in one reply. A list ends before it exceeds this, but always has at least one group. */
const maxListedMembers = 20_000;

export async function list(ctx: ScimCtx, request: ListRequest) {
  const { db, orgId, connector } = ctx;
  const { total, rows } = await searchGroups(db, orgId, { ...request, connectorId: connector.id });
  const projection = readProjection(groupDefinition, request);
  const shown = isReturned(projection, "members") ? await cutRows(ctx, rows) : rows;
  const resources = await writeGroups(ctx, db, shown, projection);
  const hasMore = shown.length < rows.length || rows.length === request.page.limit;
  return writeList(request, total, resources, hasMore ? shown.at(-1)?.id : undefined);
}

async function cutRows({ db, orgId }: ScimCtx, rows: GroupRow[]): Promise<GroupRow[]> {
  const ids = rows.map(({ id }) => id);
  const counts = new Map((await store.countMembers(db, orgId, ids)).map((one) => [one.groupId, one.count]));
  let members = 0;
  const end = rows.findIndex(({ id }, i) => {
    members += counts.get(id) ?? 0;
    return i > 0 && members > maxListedMembers;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

export const replace = (ctx: ScimCtx, id: string, body: unknown, asked: Asked, headers: HttpHeaders) =>
  change(ctx, id, asked, headers, () => {
    const { resource, members } = readGroup(body);
    return { resource, members: toChanges(members) };
  });

export const patch = (ctx: ScimCtx, id: string, body: unknown, asked: Asked, headers: HttpHeaders) =>
  change(ctx, id, asked, headers, (before) => applyGroupPatch(before, body));

async function change(
  ctx: ScimCtx,
  id: string,
  asked: Asked,
  headers: HttpHeaders,
  compute: (before: GroupResource) => { resource: GroupResource; members: MemberChanges },
): Promise<Answer> {
  const { orgId, connector } = ctx;
  return ctx.db.transaction(async (tx) => {
    const locked = await lockConnector(ctx, tx);
    const before = await requireGroup(ctx, tx, id);
    checkIfMatch(headers, before.version);
    const { resource, members } = compute(before.resource);
    const isSame = isDeepStrictEqual(resource, before.resource);
    if (!isSame && (await store.isNameTaken(tx, orgId, connector.id, before.id, resource.displayName)))
      throw nameTaken(resource.displayName);
    const { added, removed } = await changeMembers(ctx, tx, before.id, members);
    if (isSame && added.length === 0 && removed.length === 0) return answer(ctx, tx, before, asked);
    const row = (await store.update(tx, orgId, before.id, resource))!;
    // A new name can match another mapping, which affects all members.
    await follow(locked, tx, isSame ? added : [...(await store.listMemberIds(tx, orgId, row.id))], removed);
    await record(ctx, tx, {
      action: "scim_group.changed",
      target: toTarget(row.id),
      before: toState(before),
      after: { ...toState(row), membersAdded: added.length, membersRemoved: removed.length },
    });
    return answer(ctx, tx, row, asked);
  });
}

/** Returns the users who were added, and those who were removed. */
async function changeMembers(
  ctx: ScimCtx,
  tx: Db,
  groupId: string,
  { replaceAll, add, remove }: MemberChanges,
): Promise<{ added: string[]; removed: string[] }> {
  const { orgId, connector } = ctx;
  const wanted = replaceAll ?? add;
  await checkKnown(tx, ctx, wanted);
  // The difference is computed here: the database would compare each id with each other one.
  const current = replaceAll ? await store.listMemberIds(tx, orgId, groupId) : [];
  const kept = new Set(replaceAll);
  const leaving = replaceAll ? current.filter((id) => !kept.has(id)) : remove;
  const removed = leaving.length > 0 ? await store.removeMembers(tx, orgId, groupId, leaving) : [];
  const added = wanted.length > 0 ? await store.addMembers(tx, orgId, connector.id, groupId, wanted) : [];
  return { added, removed };
}

/** A statement compares each row with each of its ids. With more ids than this, all rows are read and compared here. */
const maxNamedInStatement = 500;

async function checkKnown(tx: Db, { orgId, connector }: ScimCtx, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  const few = userIds.length <= maxNamedInStatement ? userIds : null;
  const rows = await store.listKnownUsers(tx, orgId, connector.id, few);
  const known = new Set(rows.map(({ id }) => id));
  const unknown = userIds.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw invalidValue(`There is no user with the id ${unknown.slice(0, 100)}. Create the user first.`);
}

/** Gives these users the teams and roles of their groups. */
async function follow(ctx: ScimCtx, tx: Db, ...userIds: string[][]): Promise<void> {
  await applyMappings(ctx, tx, ctx.orgId, ctx.connector, [...new Set(userIds.flat())]);
}

export async function remove(ctx: ScimCtx, id: string, headers: HttpHeaders): Promise<void> {
  const { orgId } = ctx;
  await ctx.db.transaction(async (tx) => {
    const locked = await lockConnector(ctx, tx);
    const row = await requireGroup(ctx, tx, id);
    checkIfMatch(headers, row.version);
    const members = await store.listMemberIds(tx, orgId, row.id);
    await store.remove(tx, orgId, row.id);
    await follow(locked, tx, members);
    const before = { ...toState(row), members: members.length };
    await record(ctx, tx, { action: "scim_group.removed", target: toTarget(row.id), before });
  });
}

async function requireGroup({ orgId, connector }: ScimCtx, db: Db, id: string): Promise<GroupRow> {
  const row = isId("scg", id) ? await store.find(db, orgId, connector.id, id) : undefined;
  if (!row) throw notFound("scim_group");
  return row;
}

const nameTaken = (displayName: string) =>
  scimError(
    409,
    "uniqueness",
    `There is a group with the name ${displayName}. Find it with a filter and change it.`,
  );

const toState = ({ resource: { displayName, externalId } }: GroupRow) => ({
  displayName,
  externalId: externalId ?? null,
});
const toTarget = (id: string) => ({ type: "scim_group", id });
