import type { Ctx, MemberCtx, OrgId, UserId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { notFound } from "../../../platform/errors.ts";
import {
  cutPageById,
  invalidateCallers,
  type PageQuery,
  readIdCursor,
} from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record, recordByMember } from "../../audit/index.ts";
import {
  announceProvenAddress,
  findUser,
  insertUserOfOrganization,
  removeSessionsOfConnector,
  renameUser,
} from "../../auth/index.ts";
import { addMember } from "../../members/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { lockAuthority, lockRights } from "../../roles/index.ts";
import { refuseSuspended } from "../../suspension/index.ts";
import { type ConnectorRow, findConnectorByAddress, requireConnector } from "../connectors/index.ts";
import { type Identity, readName, readPersonName } from "./identity.ts";
import { applyGroups } from "./mappings.ts";
import * as store from "./store.ts";
import { decide, isOnlyHere, type Refused, type Verdict } from "./verdict.ts";

export type Admitted =
  | { kind: "admitted"; userId: UserId; isNew: boolean }
  | Extract<Verdict, { kind: "prove" }>
  | Refused;

/**
 * Admits a person, and creates account, membership and link where they are missing. The rights of the organization are
 * locked, so that two first sign-ins at the same moment create one member. `provenUserId` is the account that the person
 * has just signed in to.
 */
export async function admit(
  ctx: Ctx,
  tx: Db,
  { orgId, id }: ConnectorRow,
  identity: Identity,
  provenUserId?: UserId,
): Promise<Admitted> {
  await lockRights(tx, orgId);
  await refuseSuspended(tx, orgId);
  // It may have been disabled or changed while its provider was asked.
  const connector = await findConnectorByAddress(tx, id);
  if (!connector?.enabled)
    return {
      kind: "refused",
      code: "sso_disabled",
      message: "Single sign-on was switched off in the meantime.",
    };
  const verdict = await decide(tx, connector, identity);
  switch (verdict.kind) {
    case "refused":
      return verdict;
    case "known": {
      await store.recordSignIn(tx, orgId, verdict.identity.id, identity.email ?? null);
      await applyGroups(ctx, tx, connector, { ...verdict, ...verdict.member }, identity.groups);
      await followName(ctx, tx, orgId, verdict.userId, verdict.member, identity);
      return { kind: "admitted", userId: verdict.userId, isNew: false };
    }
    case "back":
      return enter(ctx, tx, connector, identity, verdict.identity, undefined);
    case "prove":
      if (verdict.userId !== provenUserId) return verdict;
      return join(ctx, tx, connector, identity, verdict.userId, verdict.member);
    case "link":
      return join(ctx, tx, connector, identity, verdict.userId, verdict.member);
    case "new": {
      const userId = newId("usr");
      const name = readPersonName(identity, verdict.email);
      // Somebody else created an account with the same address at the same moment. Then there is one now.
      if (!(await insertUserOfOrganization(tx, orgId, userId, verdict.email, name)))
        return admit(ctx, tx, connector, identity, provenUserId);
      return join(ctx, tx, connector, identity, userId, undefined);
    }
  }
}

/** People cannot rename an account that they use only with single sign-on, so its name follows the provider. */
async function followName(
  { address, userAgent }: Ctx,
  tx: Db,
  orgId: OrgId,
  userId: UserId,
  { memberId, isNameManaged }: store.MemberState,
  identity: Identity,
): Promise<void> {
  const name = readName(identity);
  const user = await findUser(tx, userId);
  if (!user || name === undefined || name === user.name || isNameManaged) return;
  if (!(await isOnlyHere(tx, orgId, userId))) return;
  await renameUser(tx, userId, name);
  await recordByMember(
    tx,
    orgId,
    { memberId, credential: null, credentialId: null, address, userAgent },
    {
      action: "member.renamed",
      target: { type: "member", id: memberId },
      before: { name: user.name },
      after: { name },
    },
  );
}

/** Links the account to the person at the provider. */
async function join(
  ctx: Ctx,
  tx: Db,
  connector: ConnectorRow,
  identity: Identity,
  userId: UserId,
  member: store.MemberState | undefined,
): Promise<Admitted> {
  const { subject, email = null } = identity;
  const given = { id: newId("sid"), subject, userId, email };
  const linked = (await store.insert(tx, connector.orgId, connector.id, given))!;
  await announceProvenAddress(ctx, tx, userId);
  return enter(ctx, tx, connector, identity, linked, member);
}

/** Adds a linked account as a member if it is not one, and applies the groups. */
async function enter(
  ctx: Ctx,
  tx: Db,
  connector: ConnectorRow,
  identity: Identity,
  linked: store.IdentityRow,
  member: store.MemberState | undefined,
): Promise<Admitted> {
  const { orgId, id: connectorId, defaultRole } = connector;
  const { userId, subject } = linked;
  const { email = null } = identity;
  let memberId = member?.memberId;
  const role = member?.role ?? defaultRole;
  if (memberId === undefined) {
    await takeQuota(ctx, tx, orgId, "members");
    memberId = await addMember(tx, orgId, userId, role);
    await invalidateCallers(ctx.bus, tx, userId);
  }
  await store.recordSignIn(tx, orgId, linked.id, email);
  await recordByMember(
    tx,
    orgId,
    { memberId, credential: null, credentialId: null, address: ctx.address, userAgent: ctx.userAgent },
    {
      action: member ? "member.linked_to_sso" : "member.joined_by_sso",
      target: { type: "member", id: memberId },
      after: { connectorId, subject, email, role },
    },
  );
  const isRoleManaged = member?.isRoleManaged ?? false;
  const mapped = { identity: linked, memberId, joinedAt: member?.joinedAt, role, isRoleManaged };
  await applyGroups(ctx, tx, connector, mapped, identity.groups);
  return { kind: "admitted", userId, isNew: member === undefined };
}

export async function list(ctx: MemberCtx, connectorId: string, query: PageQuery) {
  const { id } = await requireConnector(ctx, connectorId);
  return cutPageById(
    await store.list(ctx.db, ctx.orgId, id, readIdCursor(query, "sid"), query.limit + 1),
    query,
  );
}

/** Forgets a link. The person is linked anew at the next sign-in, by the rules of a first one. */
export async function remove(ctx: MemberCtx, connectorId: string, identityId: string): Promise<void> {
  const { orgId } = ctx;
  const { id } = await requireConnector(ctx, connectorId);
  await ctx.db.transaction(async (tx) => {
    await lockAuthority(ctx, tx, "sso:manage");
    const before = isId("sid", identityId) ? await store.remove(tx, orgId, id, identityId) : undefined;
    if (!before) throw notFound("sso_identity");
    await removeSessionsOfConnector(tx, orgId, id, before.userId);
    await invalidateCallers(ctx.bus, tx, before.userId);
    const { subject, userId, email } = before;
    await record(ctx, tx, {
      action: "sso_identity.removed",
      target: { type: "sso_identity", id: identityId },
      before: { connectorId: id, subject, userId, email },
    });
  });
}
