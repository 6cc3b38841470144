import type { MemberCtx } from "../../platform/context.ts";
import { type Db, violatedConstraint } from "../../platform/db/index.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { cutPage, defineCursor, invalidateCallers, type PageQuery } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import { builtInRoles, catalogue, permissions, permissionsOfRole } from "../permissions/index.ts";
import { takeQuota } from "../quotas/index.ts";
import { lockAuthority, nameOfBuiltIn, refuseBeyond } from "./authority.ts";
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

/** Few enough to be sorted here: the organization's own, then the three that every organization has. */
export async function list({ db, orgId }: MemberCtx, query: PageQuery) {
  const [own, counts] = [await store.list(db, orgId), await countsOf(db, orgId)];
  const all: Role[] = [
    ...own.map((role) => described(role, counts)),
    ...builtInRoles.map((id) => ({
      id,
      name: nameOfBuiltIn(id),
      description: "",
      permissions: [...permissionsOfRole(id, null)].sort(),
      builtIn: true,
      memberCount: counts.get(id) ?? 0,
      createdAt: null,
      updatedAt: null,
    })),
  ];
  const cursor = defineCursor<Role>({
    write: ({ id }) => id,
    read: (text) => all.find(({ id }) => id === text),
    exact: true,
  });
  const last = cursor.read(query, undefined);
  return cutPage(last ? all.slice(all.indexOf(last) + 1) : all, query, cursor.write);
}

const countsOf = async (db: Db, orgId: MemberCtx["orgId"]) =>
  new Map((await store.countMembers(db, orgId)).map(({ role, count }) => [role, count]));

const described = (role: store.OwnRole, counts: ReadonlyMap<string, number>): Role => ({
  ...role,
  builtIn: false,
  memberCount: counts.get(role.id) ?? 0,
});

interface Said {
  name?: string | undefined;
  description?: string | undefined;
  permissions?: string[] | undefined;
}

export async function create(ctx: MemberCtx, said: Said & { name: string; permissions: string[] }) {
  return refusingTakenNames(() =>
    ctx.db.transaction(async (tx) => {
      const actor = await lockAuthority(ctx, tx, "roles:manage");
      refuseBuiltInName(said.name);
      refuseBeyond(actor, said.permissions, "make this role");
      await takeQuota(ctx, tx, ctx.orgId, "roles");
      const role = await store.insert(tx, ctx.orgId, newId("role"), {
        name: said.name,
        description: said.description ?? "",
        permissions: tidied(said.permissions),
      });
      await record(ctx, tx, { action: "role.created", target: targetOf(role!.id), after: role });
      return { role: described(role!, new Map()) };
    }),
  );
}

export async function change(ctx: MemberCtx, id: string, said: Said) {
  return refusingTakenNames(() =>
    ctx.db.transaction(async (tx) => {
      const actor = await lockAuthority(ctx, tx, "roles:manage");
      const before = await findOwn(tx, ctx.orgId, id);
      // Also what it has already: who may do less must not decide about who may do more.
      refuseBeyond(actor, before.permissions, "change this role");
      if (said.permissions) refuseBeyond(actor, said.permissions, "change this role");
      if (said.name !== undefined) refuseBuiltInName(said.name);
      const role = await store.update(tx, ctx.orgId, before.id as store.RoleId, {
        name: said.name ?? before.name,
        description: said.description ?? before.description,
        permissions: said.permissions ? tidied(said.permissions) : before.permissions,
      });
      await record(ctx, tx, { action: "role.changed", target: targetOf(id), before, after: role });
      await invalidateCallers(ctx.bus, tx, ctx.orgId);
      return { role: described(role!, await countsOf(tx, ctx.orgId)) };
    }),
  );
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "roles:manage");
    const role = await findOwn(tx, ctx.orgId, id);
    const roleId = role.id as store.RoleId;
    refuseBeyond(actor, role.permissions, "remove this role");
    const uses = (await store.countUses(tx, ctx.orgId, roleId))!;
    if (uses.members + uses.invitations > 0) {
      throw conflict(
        "role_in_use",
        `${uses.members} members have this role and ${uses.invitations} open invitations name it. Give them another one first.`,
        {
          memberCount: uses.members,
          invitationCount: uses.invitations,
          members: await store.listHolders(tx, ctx.orgId, roleId, 10),
        },
      );
    }
    await store.remove(tx, ctx.orgId, roleId);
    await record(ctx, tx, { action: "role.removed", target: targetOf(id), before: role });
  });
}

async function findOwn(tx: Db, orgId: MemberCtx["orgId"], id: string): Promise<store.OwnRole> {
  if ((builtInRoles as readonly string[]).includes(id)) {
    throw conflict(
      "built_in_role",
      `${nameOfBuiltIn(id)} is built in and stays as it is. Make a role instead.`,
    );
  }
  const role = isId("role", id) ? await store.find(tx, orgId, id) : undefined;
  if (!role) throw notFound("role");
  return role;
}

const targetOf = (id: string) => ({ type: "role", id });
const tidied = (names: readonly string[]) => [...new Set(names)].sort();

const nameTaken = () => conflict("role_name_taken", "There is a role of this name. Choose another one.");

function refuseBuiltInName(name: string): void {
  if ((builtInRoles as readonly string[]).includes(name.toLowerCase())) throw nameTaken();
}

async function refusingTakenNames<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (["roles_name", "roles_org_id_name_key"].includes(violatedConstraint(error) ?? "")) throw nameTaken();
    throw error;
  }
}
