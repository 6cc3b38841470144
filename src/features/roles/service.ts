import type { MemberCtx } from "../../platform/context.ts";
import { type Db, violatedConstraint } from "../../platform/db/index.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { cutPage, defineCursor, invalidateCallers, type PageQuery } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import { builtInRoles, catalogue, permissions, permissionsOfRole } from "../permissions/index.ts";
import { takeQuota } from "../quotas/index.ts";
import { formatBuiltInName, lockAuthority, refuseBeyondOwnRights, requireFreshToGive } from "./authority.ts";
import type { Role } from "./contract.ts";
import * as store from "./store.ts";

export const listPermissions = () => ({
  items: permissions.map((name) => ({
    name,
    description: catalogue[name].description,
    roles: [...catalogue[name].roles],
  })),
  nextCursor: null,
});

/** An organization has few roles, so they are sorted here: custom roles first, then the built-in ones. */
export async function list({ db, orgId }: MemberCtx, query: PageQuery) {
  const [own, counts] = [await store.list(db, orgId), await countMembersByRole(db, orgId)];
  const all: Role[] = [
    ...own.map((role) => toRole(role, counts)),
    ...builtInRoles.map((id) => ({
      id,
      name: formatBuiltInName(id),
      description: "",
      permissions: [...permissionsOfRole(id, null)].sort(),
      builtIn: true,
      memberCount: counts.get(id) ?? 0,
      createdAt: null,
      updatedAt: null,
    })),
  ];
  const last = roleCursor.read(query, undefined);
  return cutPage(last === undefined ? all : all.filter(({ id }) => isAfter(id, last)), query, ({ id }) =>
    roleCursor.write(id),
  );
}

const builtInPosition = (id: string) => (builtInRoles as readonly string[]).indexOf(id);

/** The id of a role. It may have been removed since the page was read. */
const roleCursor = defineCursor<string>({
  write: (id) => id,
  read: (text) => (isId("role", text) || builtInPosition(text) >= 0 ? text : undefined),
  exact: true,
});

/** Whether a role comes after another one in the list. Custom roles are sorted by id, the newest first. */
function isAfter(id: string, last: string): boolean {
  const [position, lastPosition] = [builtInPosition(id), builtInPosition(last)];
  return position >= 0 || lastPosition >= 0 ? position > lastPosition : id < last;
}

const countMembersByRole = async (db: Db, orgId: MemberCtx["orgId"]) =>
  new Map((await store.countMembers(db, orgId)).map(({ role, count }) => [role, count]));

const toRole = (role: store.CustomRole, counts: ReadonlyMap<string, number>): Role => ({
  ...role,
  builtIn: false,
  memberCount: counts.get(role.id) ?? 0,
});

interface RoleInput {
  name?: string | undefined;
  description?: string | undefined;
  permissions?: string[] | undefined;
}

export async function create(ctx: MemberCtx, input: RoleInput & { name: string; permissions: string[] }) {
  return refuseTakenNames(() =>
    ctx.db.transaction(async (tx) => {
      const actor = await lockAuthority(ctx, tx, "roles:manage");
      refuseBuiltInName(input.name);
      refuseBeyondOwnRights(actor, input.permissions, "make this role");
      await takeQuota(ctx, tx, ctx.orgId, "roles");
      const role = await store.insert(tx, ctx.orgId, newId("role"), {
        name: input.name,
        description: input.description ?? "",
        permissions: sortUnique(input.permissions),
      });
      await record(ctx, tx, { action: "role.created", target: toTarget(role!.id), after: role });
      return { role: toRole(role!, new Map()) };
    }),
  );
}

export async function change(ctx: MemberCtx, id: string, input: RoleInput) {
  return refuseTakenNames(() =>
    ctx.db.transaction(async (tx) => {
      const actor = await lockAuthority(ctx, tx, "roles:manage");
      const before = await requireCustomRole(tx, ctx.orgId, id);
      // Checks its current permissions too, so that nobody changes a role that is stronger than their own.
      refuseBeyondOwnRights(actor, before.permissions, "change this role");
      if (input.permissions) {
        refuseBeyondOwnRights(actor, input.permissions, "change this role");
        requireFreshToGive(
          ctx,
          input.permissions.filter((name) => !before.permissions.includes(name)),
        );
      }
      if (input.name !== undefined) refuseBuiltInName(input.name);
      const role = await store.update(tx, ctx.orgId, before.id as store.RoleId, {
        name: input.name ?? before.name,
        description: input.description ?? before.description,
        permissions: input.permissions ? sortUnique(input.permissions) : before.permissions,
      });
      await record(ctx, tx, { action: "role.changed", target: toTarget(id), before, after: role });
      await invalidateCallers(ctx.bus, tx, ctx.orgId);
      return { role: toRole(role!, await countMembersByRole(tx, ctx.orgId)) };
    }),
  );
}

/** Such as "1 member, 2 open invitations". */
const describeUses = (uses: Record<"members" | "invitations" | "ssoConnectors" | "scimConnectors", number>) =>
  (
    [
      [uses.members, "member"],
      [uses.invitations, "open invitation"],
      [uses.ssoConnectors, "single sign-on connector"],
      [uses.scimConnectors, "SCIM connector"],
    ] as const
  )
    .filter(([count]) => count > 0)
    .map(([count, noun]) => `${count} ${noun}${count === 1 ? "" : "s"}`)
    .join(", ");

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "roles:manage");
    const role = await requireCustomRole(tx, ctx.orgId, id);
    const roleId = role.id as store.RoleId;
    refuseBeyondOwnRights(actor, role.permissions, "remove this role");
    const uses = (await store.countUses(tx, ctx.orgId, roleId))!;
    if (uses.members + uses.invitations + uses.ssoConnectors + uses.scimConnectors > 0) {
      throw conflict(
        "role_in_use",
        `This role is used by ${describeUses(uses)}. Give them another role first.`,
        {
          memberCount: uses.members,
          invitationCount: uses.invitations,
          ssoConnectorCount: uses.ssoConnectors,
          scimConnectorCount: uses.scimConnectors,
          members: await store.listMembersWithRole(tx, ctx.orgId, roleId, 10),
        },
      );
    }
    await store.remove(tx, ctx.orgId, roleId);
    await record(ctx, tx, { action: "role.removed", target: toTarget(id), before: role });
  });
}

async function requireCustomRole(tx: Db, orgId: MemberCtx["orgId"], id: string): Promise<store.CustomRole> {
  if ((builtInRoles as readonly string[]).includes(id)) {
    throw conflict(
      "built_in_role",
      `${formatBuiltInName(id)} is a built-in role and cannot be changed. Create a custom role instead.`,
    );
  }
  const role = isId("role", id) ? await store.find(tx, orgId, id) : undefined;
  if (!role) throw notFound("role");
  return role;
}

const toTarget = (id: string) => ({ type: "role", id });
const sortUnique = (names: readonly string[]) => [...new Set(names)].sort();

const nameTaken = () => conflict("role_name_taken", "Another role has this name. Choose a different name.");

function refuseBuiltInName(name: string): void {
  if ((builtInRoles as readonly string[]).includes(name.toLowerCase())) throw nameTaken();
}

async function refuseTakenNames<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (["roles_name", "roles_org_id_name_key"].includes(violatedConstraint(error) ?? "")) throw nameTaken();
    throw error;
  }
}
