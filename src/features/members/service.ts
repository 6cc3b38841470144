import type { MemberCtx, MemberId, OrgId, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { invalidateCallers, readPage } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import { checkMayChangeMember, lockAuthority, requireGrantableRole, requireOwner } from "../roles/index.ts";
import type { listQuery, Member } from "./contract.ts";
import * as store from "./store.ts";

/** For rooms that add members. The caller records the change and calls `forgetCallers`. */
export async function addMember(tx: Db, orgId: OrgId, userId: UserId, role: string): Promise<MemberId> {
  const id = newId("mem");
  await store.insert(tx, orgId, { id, userId, role });
  return id;
}

export async function list({ db, orgId }: MemberCtx, query: (typeof listQuery)["_output"]) {
  return readPage(store.list(db, orgId, query), query);
}

export async function read({ db, orgId }: MemberCtx, id: string) {
  return { member: await requireMember(db, orgId, id) };
}

async function requireMember(db: Db, orgId: OrgId, id: string): Promise<Member & { id: MemberId }> {
  const member = isId("mem", id) ? await store.find(db, orgId, id) : undefined;
  if (!member) throw notFound("member");
  return member as Member & { id: MemberId };
}

export async function change(ctx: MemberCtx, id: string, { role }: { role: string }) {
  return ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "members:manage");
    const before = await requireMember(tx, ctx.orgId, id);
    await checkMayChangeMember(tx, actor, before);
    await requireGrantableRole(tx, actor, role);
    if (before.role === "owner" && role !== "owner") await requireAnotherOwner(tx, ctx.orgId, before.id);
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
    if (member.id !== actor.id || ctx.caller.credential !== "session")
      await checkMayChangeMember(tx, actor, member);
    await endMembership(ctx, tx, member);
  });
}

export async function leave(ctx: MemberCtx): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, undefined);
    await endMembership(ctx, tx, await requireMember(tx, ctx.orgId, actor.id));
  });
}

async function endMembership(ctx: MemberCtx, tx: Db, member: Member & { id: MemberId }): Promise<void> {
  if (member.role === "owner") await requireAnotherOwner(tx, ctx.orgId, member.id);
  await store.remove(tx, ctx.orgId, member.id);
  await invalidateCallers(ctx.bus, tx, member.id);
  await record(ctx, tx, {
    action: member.id === ctx.member.id ? "member.left" : "member.removed",
    target: toTarget(member.id),
    before: member,
  });
}

/** The caller holds the lock of the organization, so no other role changes meanwhile. */
async function requireAnotherOwner(tx: Db, orgId: OrgId, memberId: MemberId): Promise<void> {
  if (!(await store.hasOtherOwner(tx, orgId, memberId)))
    throw conflict(
      "last_owner",
      "An organization keeps at least one owner. Make somebody else an owner first.",
    );
}

export async function transferOwnership(ctx: MemberCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "members:manage");
    requireOwner(actor, "Only an owner can transfer the ownership.");
    const target = await requireMember(tx, ctx.orgId, id);
    if (target.id === actor.id) throw conflict("already_owner", "That is you. Choose another member.");
    if (target.role !== "owner") await setRole(ctx, tx, target, "owner");
    await setRole(ctx, tx, await requireMember(tx, ctx.orgId, actor.id), "admin");
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
