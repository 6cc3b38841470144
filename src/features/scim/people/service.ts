import type { Ctx, MemberId, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { invalidateCallers } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { findUser, insertUserOfOrganization, renameUser } from "../../auth/index.ts";
import {
  addFormerMember,
  addMember,
  deactivateMember,
  findMember,
  reactivateMember,
  setManagement,
} from "../../members/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { isVerifiedDomain } from "../../sso/index.ts";
import type { UserResource } from "../resources/index.ts";
import { findAddress, findDomain, findName } from "./address.ts";
import { applyMappings, findDefaultRole, type MappingRules } from "./mappings.ts";
import * as store from "./store.ts";

/** A user of the directory, after the change. */
export interface DirectoryUser {
  id: string;
  active: boolean;
  memberId: MemberId | null;
  resource: UserResource;
}

/** What a user of the directory is in the organization. */
export interface AppliedUser {
  memberId: MemberId | null;
  /** False also for a member whom an admin deactivated, whatever the directory says. */
  isActive: boolean;
}

/**
 * Makes the member follow the user of the directory: creates or links, renames, deactivates or reactivates. The caller
 * holds the lock of the organization's rights.
 */
export async function applyUser(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  rules: MappingRules,
  user: DirectoryUser,
): Promise<AppliedUser> {
  const memberId = user.memberId ?? (await linkMember(ctx, tx, orgId, rules, user));
  if (memberId === null) return { memberId, isActive: user.active };
  const member = (await findMember(tx, orgId, memberId))!;
  await followName(ctx, tx, orgId, rules, user, member);
  const isActive = await followActive(ctx, tx, orgId, user, member);
  if (user.memberId === null) await applyMappings(ctx, tx, orgId, rules, [user.id]);
  return { memberId, isActive };
}

type FoundMember = NonNullable<Awaited<ReturnType<typeof findMember>>>;

/** Returns whether the member is active afterwards. The deactivation by an admin stays. */
async function followActive(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  { active }: DirectoryUser,
  { id, deactivatedAt }: FoundMember,
): Promise<boolean> {
  const change = { reason: "directory" } as const;
  if (active) return deactivatedAt === null || reactivateMember(ctx, tx, orgId, id as MemberId, change);
  await deactivateMember(ctx, tx, orgId, id as MemberId, change);
  return false;
}

/** Finds or creates the member of a user. Null when the directory may not manage accounts with this address. */
async function linkMember(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  rules: MappingRules,
  user: DirectoryUser,
): Promise<MemberId | null> {
  const address = findAddress(user.resource);
  if (address === undefined) return null;
  const account = await store.findAccount(tx, orgId, address);
  if (account && account.linkedUserId !== null) {
    // Somebody who comes back can be another user with the same address, while the earlier one stays inactive.
    if (!user.active || account.isLinkedUserActive) return null;
    await store.linkUser(tx, orgId, account.linkedUserId, null);
  }
  const memberId = account?.memberId ?? (await createMember(ctx, tx, orgId, rules, user, address, account));
  if (memberId === "taken") return linkMember(ctx, tx, orgId, rules, user);
  if (memberId === null) return null;
  await store.linkUser(tx, orgId, user.id, memberId);
  return memberId;
}

/** Returns `taken` when somebody else made an account with this address at the same moment. */
async function createMember(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  rules: MappingRules,
  { active, resource }: DirectoryUser,
  address: string,
  account: store.Account | undefined,
): Promise<MemberId | "taken" | null> {
  if (!active || !(await mayManageAddress(tx, orgId, address))) return null;
  // Somebody may have created the account with an address that is not theirs. The owner has to confirm it first.
  if (account && !account.isProven) return null;
  const userId = account?.userId ?? newId("usr");
  if (!account && !(await insertUserOfOrganization(tx, orgId, userId, address, findName(resource))))
    return "taken";
  await takeQuota(ctx, tx, orgId, "members");
  const role = await findDefaultRole(tx, orgId, rules);
  const memberId = await addMember(tx, orgId, userId, role);
  await invalidateCallers(ctx.bus, tx, userId);
  const after = { role, email: address, isNewAccount: account === undefined };
  await record(
    ctx,
    tx,
    { action: "member.provisioned", target: { type: "member", id: memberId }, after },
    orgId,
  );
  return memberId;
}

/** An organization may manage only accounts with an address of one of its verified domains. */
const mayManageAddress = (tx: Db, orgId: OrgId, address: string) =>
  isVerifiedDomain(tx, orgId, findDomain(address));

async function followName(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  { id }: MappingRules,
  { resource }: DirectoryUser,
  member: FoundMember,
): Promise<void> {
  const managesName = await mayManageAddress(tx, orgId, member.email);
  const isManaged = member.managedBy === id && member.managedFields.includes("name") === managesName;
  if (!isManaged) await setManagement(tx, orgId, member.id as MemberId, { managedBy: id, managesName });
  const name = findName(resource);
  if (!managesName || member.name === name) return;
  const before = await findUser(tx, member.userId);
  const after = await renameUser(tx, member.userId, name);
  const target = { type: "member", id: member.id };
  await record(
    ctx,
    tx,
    { action: "member.renamed", target, before: { name: before?.name }, after: { name: after?.name } },
    orgId,
  );
}

/** Most users with one address that are looked at. */
const maxWithAddress = 100;

/**
 * The directory removed the user: the member has no access and cannot come back by an invitation. If another active user
 * has the address of the member, the member is linked to that one instead.
 */
export async function deprovisionUser(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  rules: MappingRules,
  { id, memberId }: Pick<DirectoryUser, "id" | "memberId">,
): Promise<void> {
  if (memberId === null) return;
  const member = await findMember(tx, orgId, memberId);
  if (!member) return;
  const others = await store.listUnlinkedByAddress(tx, orgId, member.email, maxWithAddress);
  const next = others.find(({ resource }) => findAddress(resource) === member.email);
  if (next) {
    await store.linkUser(tx, orgId, id, null);
    await applyUser(ctx, tx, orgId, rules, { ...next, memberId: null });
    const target = { type: "scim_user", id: next.id };
    await record(ctx, tx, { action: "scim_user.linked", target, after: { memberId } }, orgId);
    return;
  }
  await deactivateMember(ctx, tx, orgId, memberId, { reason: "deprovisioned" });
  await addFormerMember(tx, orgId, member.email, "deprovisioned");
  await store.cancelInvitations(tx, orgId, member.email);
  await setManagement(tx, orgId, memberId, { managedBy: null, managesName: false });
}
