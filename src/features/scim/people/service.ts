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

/**
 * Makes the member follow the user of the directory: creates or links, renames, deactivates or reactivates. Returns true
 * when something changed. The caller holds the lock of the organization's rights.
 */
export async function applyUser(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  rules: MappingRules,
  user: DirectoryUser,
): Promise<boolean> {
  const linked = user.memberId ?? (await linkMember(ctx, tx, orgId, rules, user));
  if (linked === null) return false;
  const member = (await findMember(tx, orgId, linked))!;
  const isNew = user.memberId === null;
  const renamed = await followName(ctx, tx, orgId, rules, user, member);
  const change = { reason: "directory" };
  const moved = user.active
    ? await reactivateMember(ctx, tx, orgId, linked, change)
    : await deactivateMember(ctx, tx, orgId, linked, change);
  if (isNew) await applyMappings(ctx, tx, orgId, rules, [user.id]);
  return isNew || renamed || moved;
}

/** Finds or creates the member of a user. Null when the directory may not decide about this address. */
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
  if (account?.isTaken) return null;
  const memberId = account?.memberId ?? (await createMember(ctx, tx, orgId, rules, user, address, account));
  if (memberId === null) return null;
  await store.linkUser(tx, orgId, user.id, memberId);
  return memberId;
}

async function createMember(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  rules: MappingRules,
  { active, resource }: DirectoryUser,
  address: string,
  account: store.Account | undefined,
): Promise<MemberId | null> {
  if (!active || !(await mayManageAddress(tx, orgId, address))) return null;
  // Somebody may have made the account with an address that is not theirs. Its owner has to prove it first.
  if (account && !account.isProven) return null;
  await takeQuota(ctx, tx, orgId, "members");
  const userId = account?.userId ?? newId("usr");
  if (!account) await insertUserOfOrganization(tx, orgId, userId, address, findName(resource));
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

/** An organization decides about the accounts of its verified domains, and about no others. */
const mayManageAddress = (tx: Db, orgId: OrgId, address: string) =>
  isVerifiedDomain(tx, orgId, findDomain(address));

/** Returns true when the name or the management of the member changed. */
async function followName(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  { id }: MappingRules,
  { resource }: DirectoryUser,
  member: NonNullable<Awaited<ReturnType<typeof findMember>>>,
): Promise<boolean> {
  const managesName = await mayManageAddress(tx, orgId, member.email);
  const isManaged = member.managedBy === id && member.managedFields.includes("name") === managesName;
  if (!isManaged) await setManagement(tx, orgId, member.id as MemberId, { managedBy: id, managesName });
  const name = findName(resource);
  if (!managesName || member.name === name) return !isManaged;
  const before = await findUser(tx, member.userId);
  const after = await renameUser(tx, member.userId, name);
  const target = { type: "member", id: member.id };
  await record(
    ctx,
    tx,
    { action: "member.renamed", target, before: { name: before?.name }, after: { name: after?.name } },
    orgId,
  );
  return true;
}

/** The directory removed the user: the member has no access and cannot come back by an invitation. */
export async function deprovisionUser(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  { memberId }: Pick<DirectoryUser, "memberId">,
): Promise<void> {
  if (memberId === null) return;
  const member = await findMember(tx, orgId, memberId);
  if (!member) return;
  await deactivateMember(ctx, tx, orgId, memberId, { reason: "deprovisioned" });
  await addFormerMember(tx, orgId, member.userId, "deprovisioned");
  // The person could remove their account, make it anew and accept: then nothing says that they are a former member.
  await store.cancelInvitations(tx, orgId, member.email);
  await setManagement(tx, orgId, memberId, { managedBy: null, managesName: false });
}
