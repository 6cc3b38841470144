import type { Ctx, MemberCtx, OrgId, PersonCtx, Platform } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, forbidden, notFound, unavailable } from "../../platform/errors.ts";
import { invalidateCallers, toNetwork } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { hashSecret, isToken, newToken } from "../../platform/secrets.ts";
import { insertApiKey, keyPrefix } from "../api-keys/index.ts";
import { record, recordAsSystem } from "../audit/index.ts";
import {
  findVisitor,
  insertProvisionalUser,
  provisionalAddress,
  removeUser,
  setActiveOrganization,
  type User,
} from "../auth/index.ts";
import { endCredentialsOfMember } from "../credentials/index.ts";
import { addMember, claimMembership, findMemberByUser } from "../members/index.ts";
import {
  deleteOrganizationRows,
  findOrganization,
  insertOrganization,
  markOrganizationClaimed,
  type Organization,
} from "../organizations/index.ts";
import type { Permission } from "../permissions/index.ts";
import { instanceLimit } from "../quotas/index.ts";
import { lockRights } from "../roles/index.ts";
import { refuseSuspended } from "../suspension/index.ts";
import * as contract from "./contract.ts";
import * as store from "./store.ts";

const tokenPrefix = "sbl_";
const workspaceDays = 7;
const linkHours = 24;

/** Enough to start with. It excludes permissions to invite people and to read or store secrets. */
const agentPermissions: Permission[] = ["organization:read", "automations:create"];

export async function create(ctx: Ctx, { name }: { name: string }) {
  const { db, config } = ctx;
  if (config.bootstrap === "closed") {
    throw forbidden(
      "bootstrap_closed",
      "This instance does not offer workspaces without an account. Create an account and an organization, or ask the people who run this instance to set BOOTSTRAP=open.",
    );
  }
  const network = hashSecret(`provisional ${toNetwork(ctx.address)}`);
  const key = newToken(keyPrefix);
  return db.transaction(async (tx) => {
    // Creations wait for each other, so that the limits below are exact.
    await store.lockUnclaimedAcrossOrganizations(tx);
    await checkUnclaimed(config, tx, network);
    const organization = await insertOrganization(tx, { name }, workspaceDays);
    const orgId = organization.id;
    await store.setNetwork(tx, orgId, network);
    const userId = newId("usr");
    await insertProvisionalUser(tx, userId, provisionalAddress(userId), "Agent");
    const memberId = await addMember(tx, orgId, userId, "member");
    const apiKey = await insertApiKey(tx, orgId, memberId, key, {
      name: "bootstrap",
      permissions: agentPermissions,
      expiresAt: null,
    });
    const claim = await createLink(tx, config.publicUrl, orgId);
    await record(
      ctx,
      tx,
      { action: "organization.bootstrapped", target: toTarget(orgId), after: organization },
      orgId,
    );
    return { organization, apiKey, key, claim };
  });
}

async function checkUnclaimed(config: Ctx["config"], tx: Db, network: string): Promise<void> {
  const unclaimed = await store.countUnclaimedAcrossOrganizations(tx, network);
  if (unclaimed.all >= instanceLimit(config, "provisional_workspaces"))
    throw unavailable("Too many workspaces wait to be claimed. Sign up instead, or try again later.", 3600);
  const limit = instanceLimit(config, "provisional_workspaces_per_network");
  if (unclaimed.inNetwork >= limit) {
    throw conflict(
      "quota_exceeded",
      `Your network has ${unclaimed.inNetwork} workspaces that nobody has claimed. The limit is ${limit}. Claim one, or use an existing one.`,
      { quota: "provisional_workspaces_per_network", limit, used: unclaimed.inNetwork },
    );
  }
}

async function createLink(tx: Db, publicUrl: string, orgId: OrgId) {
  const token = newToken(tokenPrefix);
  await store.removeLinks(tx, orgId);
  const link = await store.insertLink(tx, orgId, hashSecret(token), linkHours);
  const url = `${publicUrl}${contract.claimPage.path}?token=${token}`;
  return { url, token, expiresAt: link!.expiresAt };
}

const alreadyClaimed = () => conflict("already_claimed", "This organization already has an owner.");

export async function createClaim(ctx: MemberCtx) {
  return ctx.db.transaction(async (tx) => {
    await lockRights(tx, ctx.orgId);
    if ((await findOrganization(tx, ctx.orgId))?.provisionalUntil == null) throw alreadyClaimed();
    const claim = await createLink(tx, ctx.config.publicUrl, ctx.orgId);
    await record(ctx, tx, { action: "organization.claim_link_made", target: toTarget(ctx.orgId) });
    return { claim };
  });
}

interface Acceptance {
  token: string;
  endKey?: boolean | undefined;
}

export async function acceptClaim(ctx: PersonCtx, { token, endKey = false }: Acceptance) {
  const { userId, caller, bus } = ctx;
  return ctx.db.transaction(async (tx) => {
    const { orgId } = await requireLinkByToken(tx, token);
    await lockRights(tx, orgId);
    await refuseSuspended(tx, orgId);
    // Another request may have claimed it or made a new link before this one got the lock.
    const { isExpired } = await requireLinkByToken(tx, token);
    if ((await findOrganization(tx, orgId))?.provisionalUntil == null) throw alreadyClaimed();
    if (isExpired)
      throw conflict("claim_expired", "This link is older than 24 hours. Ask the agent for a new one.");
    if (!(await markOrganizationClaimed(tx, orgId))) throw notFound("claim");
    const member = await claimMembership(tx, orgId, userId);
    if (!member) throw new Error("A provisional workspace without its member.");
    await removeUser(tx, member.formerUserId);
    await setActiveOrganization(tx, userId, caller.credentialId, orgId);
    // The new owner was no member before, so every key and token of this membership belongs to the agent.
    const ended = endKey ? await endCredentialsOfMember(ctx, tx, orgId, member.id) : {};
    const keysEnded = ended.apiKeys ?? 0;
    for (const id of [orgId, userId]) await invalidateCallers(bus, tx, id);
    const after = { ownerMemberId: member.id, keysEnded };
    await record(ctx, tx, { action: "organization.claimed", target: toTarget(orgId), after }, orgId);
    return {
      member: (await findMemberByUser(tx, orgId, userId))!,
      organization: (await findOrganization(tx, orgId))!,
    };
  });
}

const findLinkByToken = async (db: Db, token: string) =>
  isToken(tokenPrefix, token) ? store.findLinkByToken(db, hashSecret(token)) : undefined;

async function requireLinkByToken(db: Db, token: string) {
  const link = await findLinkByToken(db, token);
  if (!link) throw notFound("claim");
  return link;
}

export type ClaimLink =
  | { kind: "incomplete" }
  | { kind: "unknown" }
  | { kind: "expired"; organization: Organization }
  | { kind: "claimed"; organization: Organization; visitor: User | undefined; isOwn: boolean }
  | { kind: "open"; organization: Organization; visitor: User | undefined; expiresAt: number };

/** Checks the link in advance, so that the page can show a refusal before the person fills in a form. */
export async function openLink(
  ctx: Ctx,
  token: string | undefined,
  cookies: string | undefined,
): Promise<ClaimLink> {
  if (!token) return { kind: "incomplete" };
  const link = await findLinkByToken(ctx.db, token);
  const organization = link && (await findOrganization(ctx.db, link.orgId));
  if (!organization) return { kind: "unknown" };
  if (organization.provisionalUntil !== null) {
    return link.isExpired
      ? { kind: "expired", organization }
      : {
          kind: "open",
          organization,
          visitor: await findVisitor(ctx, cookies),
          expiresAt: link.expiresAt,
        };
  }
  const visitor = await findVisitor(ctx, cookies);
  const isOwn = visitor && (await findMemberByUser(ctx.db, link.orgId, visitor.id)) !== undefined;
  return { kind: "claimed", organization, visitor, isOwn: isOwn === true };
}

/** Removes workspaces that nobody claimed, one at a time. */
export async function removeUnclaimed(
  { db, bus }: Pick<Platform, "db" | "bus">,
  until: number,
): Promise<void> {
  while (Date.now() < until) {
    const removed = await db.transaction(async (tx) => {
      const overdue = await store.lockOverdueAcrossOrganizations(tx);
      if (!overdue) return false;
      await deleteOrganizationRows(bus, tx, overdue.orgId);
      if (overdue.userId) await removeUser(tx, overdue.userId);
      await recordAsSystem(tx, null, { action: "organization.expired", target: toTarget(overdue.orgId) });
      return true;
    });
    if (!removed) return;
  }
}

const toTarget = (id: string) => ({ type: "organization", id });
