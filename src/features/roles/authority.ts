import type { MemberCtx, MemberId, Membership, OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { forbidden, invalidField, notFound } from "../../platform/errors.ts";
import { checkAccess, member as memberAccess } from "../../platform/http/index.ts";
import { isId } from "../../platform/ids.ts";
import { createMembership, findMembership, findRoleOfMember, keepCredential } from "../credentials/index.ts";
import { builtInRoles, ownerPermissions, type Permission, permissionsOfRole } from "../permissions/index.ts";
import * as store from "./store.ts";

/**
 * Returns the caller's current rights, and locks the rights of the organization until the transaction ends. Otherwise
 * two people could remove each other's rights at the same moment. A caller whose session or key has ended is refused.
 */
export async function lockAuthority(
  ctx: MemberCtx,
  tx: Db,
  permission: Permission | undefined,
): Promise<Membership> {
  const { orgId, member } = ctx;
  await lockRights(tx, orgId);
  const row = await findMembership(tx, orgId, member.id);
  if (!row) throw forbidden("no_active_organization", "You do not belong to this organization any more.");
  // The credential may have fewer permissions than its member.
  const now = createMembership(row, [...member.permissions]);
  if (permission && !now.permissions.has(permission)) {
    throw forbidden("missing_permission", `This needs the permission ${permission}. Ask an owner or admin.`);
  }
  await keepCredential(ctx, tx);
  return now;
}

/** Locks the rights of an organization for a caller who is not a member. */
export async function lockRights(tx: Db, orgId: OrgId): Promise<void> {
  if (!(await store.lockOrganization(tx, orgId))) throw notFound("organization");
}

export interface GrantableRole {
  id: string;
  name: string;
  permissions: ReadonlySet<string>;
}

export const formatBuiltInName = (role: string) => role.charAt(0).toUpperCase() + role.slice(1);

async function findRole(db: Db, orgId: OrgId, id: string): Promise<GrantableRole | undefined> {
  if ((builtInRoles as readonly string[]).includes(id))
    return { id, name: formatBuiltInName(id), permissions: permissionsOfRole(id, null) };
  const own = isId("role", id) ? await store.find(db, orgId, id) : undefined;
  return own && { ...own, permissions: new Set(own.permissions) };
}

/** Returns the role if the actor may give it, which needs every permission of the role. */
export async function requireGrantableRole(tx: Db, actor: Membership, id: string): Promise<GrantableRole> {
  const role = await findRole(tx, actor.orgId, id);
  if (!role) throw invalidField(["role"], "There is no such role here. GET /v1/roles lists them.");
  if (id === "owner") requireOwner(actor, "Only an owner makes somebody an owner.");
  refuseBeyondOwnRights(actor, role.permissions, `give the role ${role.name}`);
  return role;
}

/**
 * Who is an owner changes only with a fresh session, as in a transfer. Otherwise a key that leaks gives the organization
 * away, or removes those who could end the key.
 */
export function requireFreshForOwner(ctx: MemberCtx, ...roles: readonly string[]): void {
  if (roles.includes("owner")) requireFresh(ctx);
}

/**
 * The same for what only owners have. Whoever may delete the organization, or decide which provider signs its members
 * in, does not need to be an owner any more.
 */
export function requireFreshToGive(ctx: MemberCtx, permissions: Iterable<string>): void {
  if ([...permissions].some((name) => ownerPermissions.has(name))) requireFresh(ctx);
}

const requireFresh = ({ caller }: MemberCtx): void =>
  checkAccess(memberAccess({ fresh: true }), caller, Date.now());

/** Refuses to change a member who has more permissions than the actor. Returns the permissions of the member's role. */
export async function checkMayChangeMember(
  tx: Db,
  actor: Membership,
  target: { id: MemberId },
): Promise<ReadonlySet<string>> {
  const row = await findRoleOfMember(tx, actor.orgId, target.id);
  if (!row) throw notFound("member");
  if (row.role === "owner") requireOwner(actor, "Only an owner changes or removes an owner.");
  const permissions = permissionsOfRole(row.role, row.rolePermissions);
  refuseBeyondOwnRights(actor, permissions, "change this member");
  return permissions;
}

/** Whether the member still has these permissions and may still give this role. Otherwise their invitations are void. */
export async function canStillGrant(
  tx: Db,
  orgId: OrgId,
  memberId: MemberId,
  id: string,
  rights: readonly Permission[],
): Promise<boolean> {
  const [row, role] = [await findMembership(tx, orgId, memberId), await findRole(tx, orgId, id)];
  if (!row || !role) return false;
  const { permissions } = createMembership(row);
  return (
    rights.every((name) => permissions.has(name)) &&
    (id !== "owner" || row.role === "owner") &&
    [...role.permissions].every((name) => permissions.has(name))
  );
}

export function requireOwner({ role }: Membership, message: string): void {
  if (role !== "owner") throw forbidden("owner_required", message);
}

export function refuseBeyondOwnRights(actor: Membership, wanted: Iterable<string>, action: string): void {
  const missing = [...wanted].find((name) => !actor.permissions.has(name));
  if (missing !== undefined)
    throw forbidden(
      "above_own_rights",
      `You cannot ${action}: it needs the permission ${missing}, which you do not have.`,
    );
}
