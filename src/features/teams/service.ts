import type { MemberCtx, OrgId } from "../../platform/context.ts";
import { type Db, violatedConstraint } from "../../platform/db/index.ts";
import { conflict, forbidden, notFound } from "../../platform/errors.ts";
import { cutPageById, invalidateCallers, type PageQuery, readIdCursor } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import type { Permission } from "../permissions/index.ts";
import { takeQuota } from "../quotas/index.ts";
import type { Team } from "./contract.ts";
import * as store from "./store.ts";

export async function list({ db, orgId }: MemberCtx, query: PageQuery) {
  return cutPageById(await store.list(db, orgId, readIdCursor(query), query.limit + 1), query);
}

export async function read({ db, orgId }: MemberCtx, id: string) {
  return { team: await found(db, orgId, id) };
}

type Found = Team & { id: store.TeamId };

async function found(db: Db, orgId: MemberCtx["orgId"], id: string): Promise<Found> {
  const team = isId("team", id) ? await store.find(db, orgId, id) : undefined;
  if (!team) throw notFound("team");
  return team as Found;
}

interface Said {
  name?: string | undefined;
  description?: string | undefined;
}

export async function create(ctx: MemberCtx, { name, description = "" }: Said & { name: string }) {
  return refusingTakenNames(() =>
    ctx.db.transaction(async (tx) => {
      await takeQuota(ctx, tx, ctx.orgId, "teams");
      const team = (await store.insert(tx, ctx.orgId, newId("team"), { name, description }))!;
      await record(ctx, tx, { action: "team.created", target: targetOf(team.id), after: team });
      return { team };
    }),
  );
}

export async function change(ctx: MemberCtx, id: string, said: Said) {
  return refusingTakenNames(() =>
    ctx.db.transaction(async (tx) => {
      const before = await found(tx, ctx.orgId, id);
      const { name = before.name, description = before.description } = said;
      const team = await store.update(tx, ctx.orgId, before.id, { name, description });
      if (!team) throw notFound("team");
      await record(ctx, tx, { action: "team.changed", target: targetOf(id), before, after: team });
      return { team };
    }),
  );
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const team = await found(tx, ctx.orgId, id);
    if ((await store.remove(tx, ctx.orgId, team.id)) === 0) throw notFound("team");
    // What was granted to it counted for its members.
    await invalidateCallers(ctx.bus, tx, ctx.orgId);
    await record(ctx, tx, { action: "team.removed", target: targetOf(id), before: team });
  });
}

export async function addMember(ctx: MemberCtx, id: string, memberId: string) {
  return ctx.db.transaction(async (tx) => {
    const { team, member } = await both(tx, ctx, id, memberId);
    await checkMayAdd(tx, ctx.orgId, [team.id], ctx.member.permissions);
    if ((await store.addTo(tx, ctx.orgId, member, [team.id])) > 0) {
      await invalidateCallers(ctx.bus, tx, member);
      await record(ctx, tx, { action: "team.member_added", target: targetOf(id), after: { memberId } });
    }
    return { team: await found(tx, ctx.orgId, id) };
  });
}

/** Permissions needed besides `teams:manage` to add a member, because the member gets what the teams were granted. */
export async function rightsToAdd(tx: Db, orgId: OrgId, ids: readonly string[]): Promise<Permission[]> {
  if (ids.length === 0) return [];
  return (await store.lockGrantedConnections(tx, orgId, ids)).length > 0 ? ["connections:manage"] : [];
}

async function checkMayAdd(
  tx: Db,
  orgId: OrgId,
  ids: readonly string[],
  permissions: ReadonlySet<string>,
): Promise<void> {
  const missing = (await rightsToAdd(tx, orgId, ids)).find((right) => !permissions.has(right));
  if (missing) {
    throw forbidden(
      "missing_permission",
      `This team may use a shared connection. Putting somebody into it also needs the permission ${missing}.`,
    );
  }
}

export async function removeMember(ctx: MemberCtx, id: string, memberId: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const { team, member } = await both(tx, ctx, id, memberId);
    if ((await store.removeFrom(tx, ctx.orgId, member, team.id)) === 0) return;
    await invalidateCallers(ctx.bus, tx, member);
    await record(ctx, tx, { action: "team.member_removed", target: targetOf(id), before: { memberId } });
  });
}

async function both(tx: Db, { orgId }: MemberCtx, id: string, memberId: string) {
  const team = await found(tx, orgId, id);
  if (!isId("mem", memberId) || !(await store.hasMember(tx, orgId, memberId))) throw notFound("member");
  return { team, member: memberId };
}

const targetOf = (id: string) => ({ type: "team", id });

async function refusingTakenNames<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) === "teams_name")
      throw conflict("team_name_taken", "There is a team of this name. Choose another one.");
    throw error;
  }
}
