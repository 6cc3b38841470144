import type { MemberCtx, MemberId, OrgId, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict } from "../../platform/errors.ts";
import { invalidateCallers, readPage } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import {
  checkMayChangeMember,
  lockAuthority,
  requireFreshForOwner,
  requireFreshToGive,
  requireGrantableRole,
  requireOwner,
} from "../roles/index.ts";
import type { listQuery, Member } from "./contract.ts";
import {
  type IdentifiedMember,
  refuseBreakGlass,
  refuseManaged,
  requireAnotherOwner,
  requireMember,
} from "./rules.ts";
import * as store from "./store.ts";

/**
 * For rooms that add members. Somebody who was removed before is not a former member any more. The caller records the
 * change and calls `invalidateCallers`.
 */
export async function addMember(tx: Db, orgId: OrgId, userId: UserId, role: string): Promise<MemberId> {
  const id = newId("mem");
  const { email } = (await store.insert(tx, orgId, { id, userId, role }))!;
  await store.removeFormer(tx, orgId, email);
  return id;
}

export async function list({ db, orgId }: MemberCtx, query: (typeof listQuery)["_output"]) {
  return readPage(store.list(db, orgId, query), query, "mem");
}

export async function read({ db, orgId }: MemberCtx, id: string) {
  return { member: await requireMember(db, orgId, id) };
}

export async function change(ctx: MemberCtx, id: string, { role }: { role: string }) {
  return ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "members:manage");
    const before = await requireMember(tx, ctx.orgId, id);
    await checkMayChangeMember(tx, actor, before);
    if (before.role !== role) refuseManaged(before, "role");
    const { permissions } = await requireGrantableRole(tx, actor, role);
    if (before.role !== role) {
      requireFreshForOwner(ctx, before.role);
      requireFreshToGive(ctx, permissions);
    }
    if (before.role === "owner" && role !== "owner" && before.deactivatedAt === null)
      await requireAnotherOwner(tx, ctx.orgId, before.id);
    if (before.role !== role) await setRole(ctx, tx, before, role);
    return { member: await requireMember(tx, ctx.orgId, id) };
  });
}

async function setRole(ctx: MemberCtx, tx: Db, { id, role: before }: Member, role: string): Promise<void> {
  await store.setRole(tx, ctx.orgId, id, role);
  await invalidateCallers(ctx.bus, tx, id);
  await record(ctx, tx, {
    action: "member.role_changed",
    target: toTarget(id),
    before: { role: before },
    after: { role },
  });
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "members:manage");
    const member = await requireMember(tx, ctx.orgId, id);
    // A person may always leave. A limited key may not, because leaving removes more than the key may change.
    if (member.id !== actor.id || ctx.caller.credential !== "session") {
      await checkMayChangeMember(tx, actor, member);
      requireFreshForOwner(ctx, member.role);
    }
    await endMembership(ctx, tx, member);
    if (member.id !== actor.id) await store.addFormer(tx, ctx.orgId, member.email, "removed");
  });
}

export async function leave(ctx: MemberCtx): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, undefined);
    await endMembership(ctx, tx, await requireMember(tx, ctx.orgId, actor.id));
  });
}

async function endMembership(ctx: MemberCtx, tx: Db, member: IdentifiedMember): Promise<void> {
  refuseManaged(member, "removal");
  if (member.role === "owner" && member.deactivatedAt === null)
    await requireAnotherOwner(tx, ctx.orgId, member.id);
  await store.remove(tx, ctx.orgId, member.id);
  await invalidateCallers(ctx.bus, tx, member.id);
  await record(ctx, tx, {
    action: member.id === ctx.member.id ? "member.left" : "member.removed",
    target: toTarget(member.id),
    before: member,
  });
}

export async function transferOwnership(ctx: MemberCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "members:manage");
    requireOwner(actor, "Only an owner can transfer the ownership.");
    const target = await requireMember(tx, ctx.orgId, id);
    if (target.id === actor.id) throw conflict("already_owner", "That is you. Choose another member.");
    if (target.deactivatedAt !== null)
      throw conflict("member_deactivated", "This member is deactivated. Reactivate them first.");
    const previous = await requireMember(tx, ctx.orgId, actor.id);
    for (const one of [target, previous]) refuseManaged(one, "role");
    await refuseBreakGlass(tx, ctx.orgId, previous.id);
    if (target.role !== "owner") await setRole(ctx, tx, target, "owner");
    await setRole(ctx, tx, previous, "admin");
    await record(ctx, tx, {
      action: "organization.ownership_transferred",
      target: { type: "organization", id: ctx.orgId },
      before: { owner: actor.id },
      after: { owner: target.id },
    });
    return {
      member: await requireMember(tx, ctx.orgId, target.id),
      previousOwner: await requireMember(tx, ctx.orgId, actor.id),
    };
  });
}

const toTarget = (id: string) => ({ type: "member", id });
