import type { Ctx, MemberCtx, OrgId, Platform, UserCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, notFound, unavailable } from "../../platform/errors.ts";
import { forgetCallers } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { hashSecret, isToken, newToken } from "../../platform/secrets.ts";
import { insertApiKey, keyPrefix } from "../api-keys/index.ts";
import { record, recordAsSystem } from "../audit/index.ts";
import { insertProvisional, provisionalAddress, removeUser, setActiveOrganization } from "../auth/index.ts";
import { addMember, becomeOwner, findMemberByUser } from "../members/index.ts";
import {
  eraseOrganization,
  findOrganization,
  insertOrganization,
  settleOrganization,
} from "../organizations/index.ts";
import type { Permission } from "../permissions/index.ts";
import { lockRights } from "../roles/index.ts";
import * as contract from "./contract.ts";
import * as store from "./store.ts";

const prefix = "sbl_";
const days = 7;
const linkHours = 24;
/** However many addresses somebody has: strangers do not fill the disk. */
const maxUnclaimed = 1_000;

/** Enough to begin with: nothing that lets others in, nothing that gives away or takes in a secret. */
const permissions: Permission[] = ["organization:read", "automations:create"];

export async function create(ctx: Ctx, { name }: { name: string }) {
  const { db, config } = ctx;
  if ((await store.countUnclaimedOfAll(db)) >= maxUnclaimed) {
    throw unavailable("Too many workspaces wait to be claimed. Sign up instead, or try again later.", 3600);
  }
  const key = newToken(keyPrefix);
  return db.transaction(async (tx) => {
    const organization = await insertOrganization(tx, { name }, days);
    const orgId = organization.id as OrgId;
    const userId = newId("usr");
    await insertProvisional(tx, userId, provisionalAddress(userId), "Agent");
    const memberId = await addMember(tx, orgId, userId, "member");
    const apiKey = await insertApiKey(tx, orgId, memberId, key, {
      name: "bootstrap",
      permissions,
      expiresAt: null,
    });
    const claim = await newLink(tx, config.publicUrl, orgId);
    await record(
      ctx,
      tx,
      { action: "organization.bootstrapped", target: targetOf(orgId), after: organization },
      orgId,
    );
    return { organization, apiKey, key, claim };
  });
}

async function newLink(tx: Db, publicUrl: string, orgId: OrgId) {
  const token = newToken(prefix);
  await store.removeLinks(tx, orgId);
  const link = await store.insertLink(tx, orgId, hashSecret(token), linkHours);
  const url = `${publicUrl}${contract.claimPage.path}?token=${token}`;
  return { url, token, expiresAt: link!.expiresAt };
}

const alreadyClaimed = () => conflict("already_claimed", "Somebody owns this organization already.");

export async function createClaim(ctx: MemberCtx) {
  return ctx.db.transaction(async (tx) => {
    await lockRights(tx, ctx.orgId);
    if ((await findOrganization(tx, ctx.orgId))?.provisionalUntil == null) throw alreadyClaimed();
    const claim = await newLink(tx, ctx.config.publicUrl, ctx.orgId);
    await record(ctx, tx, { action: "organization.claim_link_made", target: targetOf(ctx.orgId) });
    return { claim };
  });
}

export async function acceptClaim(ctx: UserCtx, { token }: { token: string }) {
  const { userId, caller, bus } = ctx;
  return ctx.db.transaction(async (tx) => {
    const { orgId } = await byToken(tx, token);
    await lockRights(tx, orgId);
    // Whoever held the lock may have claimed it, or made another link.
    const { isOver } = await byToken(tx, token);
    if ((await findOrganization(tx, orgId))?.provisionalUntil == null) throw alreadyClaimed();
    if (isOver)
      throw conflict("claim_expired", "This link is older than 24 hours. Ask the agent for a new one.");
    if (!(await settleOrganization(tx, orgId))) throw notFound("claim");
    const member = await becomeOwner(tx, orgId, userId);
    if (!member) throw new Error("A provisional workspace without its member.");
    await removeUser(tx, member.formerUserId);
    await setActiveOrganization(tx, userId, caller.credentialId, orgId);
    for (const id of [orgId, userId]) await forgetCallers(bus, tx, id);
    const after = { ownerMemberId: member.id };
    await record(ctx, tx, { action: "organization.claimed", target: targetOf(orgId), after }, orgId);
    return {
      member: (await findMemberByUser(tx, orgId, userId))!,
      organization: (await findOrganization(tx, orgId))!,
    };
  });
}

async function byToken(db: Db, token: string) {
  const link = isToken(prefix, token) ? await store.findLinkByToken(db, hashSecret(token)) : undefined;
  if (!link) throw notFound("claim");
  return link;
}

/** Removes workspaces that nobody claimed, one at a time. */
export async function removeOverdue({ db, bus }: Pick<Platform, "db" | "bus">, until: number): Promise<void> {
  while (Date.now() < until) {
    const removed = await db.transaction(async (tx) => {
      const overdue = await store.lockOverdueOfAll(tx);
      if (!overdue) return false;
      await eraseOrganization(bus, tx, overdue.orgId);
      if (overdue.userId) await removeUser(tx, overdue.userId);
      await recordAsSystem(tx, null, { action: "organization.expired", target: targetOf(overdue.orgId) });
      return true;
    });
    if (!removed) return;
  }
}

const targetOf = (id: string) => ({ type: "organization", id });
