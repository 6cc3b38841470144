import type { MemberCtx, MemberId, OrgId, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { invalidateCallers, readPage } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import { checkAbove, grantableRole, lockAuthority, ownersOnly } from "../roles/index.ts";
import type { listQuery, Member } from "./contract.ts";
import * as store from "./store.ts";

/** For rooms that let people in. The caller announces the change, with whatever else changes. */
export async function addMember(tx: Db, orgId: OrgId, userId: UserId, role: string): Promise<MemberId> {
  const id = newId("mem");
  await store.insert(tx, orgId, { id, userId, role });
  return id;
}

export async function list({ db, orgId }: MemberCtx, query: (typeof listQuery)["_output"]) {
  return readPage(store.list(db, orgId, query), query);
}

export async function read({ db, orgId }: MemberCtx, id: string) {
  return { member: await found(db, orgId, id) };
}

async function found(db: Db, orgId: OrgId, id: string): Promise<Member & { id: MemberId }> {
  const member = isId("mem", id) ? await store.find(db, orgId, id) : undefined;
  if (!member) throw notFound("member");
  return member as Member & { id: MemberId };
}

export async function change(ctx: MemberCtx, id: string, { role }: { role: string }) {
  return ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "members:manage");
    const before = await found(tx, ctx.orgId, id);
    await checkAbove(tx, actor, before);
    await grantableRole(tx, actor, role);
    if (before.role === "owner" && role !== "owner") await keepAnOwner(tx, ctx.orgId, before.id);
    if (before.role !== role) await setRole(ctx, tx, before, role);
    return { member: await found(tx, ctx.orgId, id) };
  });
}

async function setRole(ctx: MemberCtx, tx: Db, { id, role: before }: Member, role: string): Promise<void> {
  await store.setRole(tx, ctx.orgId, id, role);
  await invalidateCallers(ctx.bus, tx, id);
  await record(ctx, tx, {
    action: "member.role_changed",
    target: targetOf(id),
    before: { role: before },
    after: { role },
  });
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "members:manage");
    const member = await found(tx, ctx.orgId, id);
    // Leaving is a person's own right; of a key that was limited it would undo more than it was given.
    if (member.id !== actor.id || ctx.caller.credential !== "session") await checkAbove(tx, actor, member);
    await end(ctx, tx, member);
  });
}

export async function leave(ctx: MemberCtx): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, undefined);
    await end(ctx, tx, await found(tx, ctx.orgId, actor.id));
  });
}

async function end(ctx: MemberCtx, tx: Db, member: Member & { id: MemberId }): Promise<void> {
  if (member.role === "owner") await keepAnOwner(tx, ctx.orgId, member.id);
  await store.remove(tx, ctx.orgId, member.id);
  await invalidateCallers(ctx.bus, tx, member.id);
  await record(ctx, tx, {
    action: member.id === ctx.member.id ? "member.left" : "member.removed",
    target: targetOf(member.id),
    before: member,
  });
}

/** The caller holds the lock under which nobody else's role changes. */
async function keepAnOwner(tx: Db, orgId: OrgId, without: MemberId): Promise<void> {
  if (!(await store.hasOwnerBeside(tx, orgId, without)))
    throw conflict(
      "last_owner",
      "An organization keeps at least one owner. Make somebody else an owner first.",
    );
}

export async function transferOwnership(ctx: MemberCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "members:manage");
    ownersOnly(actor, "Only an owner can hand ownership on.");
    const target = await found(tx, ctx.orgId, id);
    if (target.id === actor.id) throw conflict("already_owner", "That is you. Choose another member.");
    if (target.role !== "owner") await setRole(ctx, tx, target, "owner");
    await setRole(ctx, tx, await found(tx, ctx.orgId, actor.id), "admin");
    await record(ctx, tx, {
      action: "organization.ownership_transferred",
      target: { type: "organization", id: ctx.orgId },
      before: { owner: actor.id },
      after: { owner: target.id },
    });
    return {
      member: await found(tx, ctx.orgId, target.id),
      previousOwner: await found(tx, ctx.orgId, actor.id),
    };
  });
}

const targetOf = (id: string) => ({ type: "member", id });
