import type { MemberCtx, Membership, OrgId } from "../../platform/context.ts";
import { type Db, violatedConstraint } from "../../platform/db/index.ts";
import { conflict, forbidden, notFound } from "../../platform/errors.ts";
import { cutPageById, invalidateCallers, type PageQuery, readIdCursor } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import type { Permission } from "../permissions/index.ts";
import { takeQuota } from "../quotas/index.ts";
import { lockAuthority } from "../roles/index.ts";
import type { Team } from "./contract.ts";
import * as store from "./store.ts";

export async function list({ db, orgId }: MemberCtx, query: PageQuery) {
  return cutPageById(await store.list(db, orgId, readIdCursor(query, "team"), query.limit + 1), query);
}

export async function read({ db, orgId }: MemberCtx, id: string) {
  return { team: await requireTeam(db, orgId, id) };
}

type IdentifiedTeam = Team & { id: store.TeamId };

async function requireTeam(db: Db, orgId: MemberCtx["orgId"], id: string): Promise<IdentifiedTeam> {
  const team = isId("team", id) ? await store.find(db, orgId, id) : undefined;
  if (!team) throw notFound("team");
  return team as IdentifiedTeam;
}

interface TeamInput {
  name?: string | undefined;
  description?: string | undefined;
}

export async function create(ctx: MemberCtx, { name, description = "" }: TeamInput & { name: string }) {
  return refuseTakenNames(() =>
    ctx.db.transaction(async (tx) => {
      await takeQuota(ctx, tx, ctx.orgId, "teams");
      const team = (await store.insert(tx, ctx.orgId, newId("team"), { name, description }))!;
      await record(ctx, tx, { action: "team.created", target: toTarget(team.id), after: team });
      return { team };
    }),
  );
}

export async function change(ctx: MemberCtx, id: string, input: TeamInput) {
  return refuseTakenNames(() =>
    ctx.db.transaction(async (tx) => {
      // Locked before it is read, so that a change of the other field at the same moment is not undone.
      await store.lock(tx, ctx.orgId, [id]);
      const before = await requireTeam(tx, ctx.orgId, id);
      const { name = before.name, description = before.description } = input;
      const team = await store.update(tx, ctx.orgId, before.id, { name, description });
      if (!team) throw notFound("team");
      await record(ctx, tx, { action: "team.changed", target: toTarget(id), before, after: team });
      return { team };
    }),
  );
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockAuthority(ctx, tx, "teams:manage");
    const team = await requireTeam(tx, ctx.orgId, id);
    if ((await store.remove(tx, ctx.orgId, team.id)) === 0) throw notFound("team");
    // Its members lose what was granted to the team.
    await invalidateCallers(ctx.bus, tx, ctx.orgId);
    await record(ctx, tx, { action: "team.removed", target: toTarget(id), before: team });
  });
}

export async function addMember(ctx: MemberCtx, id: string, memberId: string) {
  return ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "teams:manage");
    const { team, member } = await requireTeamAndMember(tx, ctx, id, memberId);
    await checkMayAdd(tx, actor, team.id);
    if ((await store.addMember(tx, ctx.orgId, member, [team.id])) > 0) {
      await invalidateCallers(ctx.bus, tx, member);
      await record(ctx, tx, { action: "team.member_added", target: toTarget(id), after: { memberId } });
    }
    return { team: await requireTeam(tx, ctx.orgId, id) };
  });
}

/**
 * Permissions needed besides `teams:manage` to add a member, because the member gets what the teams were granted. Who
 * adds somebody locks the teams first.
 */
export async function findPermissionsToAdd(
  db: Db,
  orgId: OrgId,
  ids: readonly string[],
): Promise<Permission[]> {
  if (ids.length === 0) return [];
  const connected = await store.listGrantedConnections(db, orgId, ids);
  const provided = await store.listGrantedProviders(db, orgId, ids);
  const served = await store.listGrantedMcpConnections(db, orgId, ids);
  return [
    ...(connected.length > 0 ? (["connections:manage"] as const) : []),
    ...(provided.length > 0 ? (["llm_providers:manage"] as const) : []),
    ...(served.length > 0 ? (["mcp_connections:manage"] as const) : []),
  ];
}

const granted: Partial<Record<Permission, string>> = {
  "connections:manage": "a shared connection",
  "llm_providers:manage": "an LLM provider",
  "mcp_connections:manage": "an MCP connection",
};

type Actor = Pick<Membership, "orgId" | "permissions">;

async function findMissingToAdd(tx: Db, { orgId, permissions }: Actor, ids: readonly string[]) {
  await store.lock(tx, orgId, ids);
  return (await findPermissionsToAdd(tx, orgId, ids)).find((right) => !permissions.has(right));
}

async function checkMayAdd(tx: Db, actor: Actor, id: store.TeamId): Promise<void> {
  const missing = await findMissingToAdd(tx, actor, [id]);
  if (missing)
    throw forbidden(
      "missing_permission",
      `This team may use ${granted[missing]}. Putting somebody into it also needs the permission ${missing}.`,
    );
}

/** Refuses mappings from groups to these teams by somebody who may not add members to them. */
export async function checkMayMap(tx: Db, actor: Actor, ids: readonly string[]): Promise<void> {
  const missing = await findMissingToAdd(tx, actor, ids);
  if (missing)
    throw forbidden(
      "missing_permission",
      `One of these teams may use ${granted[missing]}. Mapping a group to it also needs the permission ${missing}.`,
    );
}

export async function removeMember(ctx: MemberCtx, id: string, memberId: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockAuthority(ctx, tx, "teams:manage");
    const { team, member } = await requireTeamAndMember(tx, ctx, id, memberId);
    if (await store.isManaged(tx, ctx.orgId, member, team.id)) {
      throw conflict(
        "managed_by_scim",
        "A group of the directory puts this member into the team. Change the group in the directory, or its mapping.",
      );
    }
    if ((await store.removeMember(tx, ctx.orgId, member, team.id)) === 0) return;
    await invalidateCallers(ctx.bus, tx, member);
    await record(ctx, tx, { action: "team.member_removed", target: toTarget(id), before: { memberId } });
  });
}

async function requireTeamAndMember(tx: Db, { orgId }: MemberCtx, id: string, memberId: string) {
  const team = await requireTeam(tx, orgId, id);
  if (!isId("mem", memberId) || !(await store.hasMember(tx, orgId, memberId))) throw notFound("member");
  return { team, member: memberId };
}

const toTarget = (id: string) => ({ type: "team", id });

async function refuseTakenNames<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) === "teams_name")
      throw conflict("team_name_taken", "Another team has this name. Choose a different name.");
    throw error;
  }
}
