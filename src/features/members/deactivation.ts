import type { Ctx, JobReference, MemberCtx, MemberId, OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict } from "../../platform/errors.ts";
import { invalidateCallers } from "../../platform/http/index.ts";
import { record } from "../audit/index.ts";
import { endCredentialsOfMember } from "../credentials/index.ts";
import { takeQuota } from "../quotas/index.ts";
import {
  checkMayChangeMember,
  lockAuthority,
  requireFreshForOwner,
  requireFreshToGive,
} from "../roles/index.ts";
import { refuseManaged, requireAnotherOwner, requireMember } from "./rules.ts";
import * as store from "./store.ts";

/** Why the state of a member changes, for the audit log. `manual` is an admin; all others are the directory. */
interface StateChange {
  reason: "manual" | "directory" | "deprovisioned";
}

/**
 * Takes all access away at once, in every process. The member keeps role and teams. Returns false when the member was
 * deactivated already. A member whom an admin deactivated and whom the directory then calls inactive is the directory's
 * to reactivate. The caller holds the lock of the organization's rights.
 */
export async function deactivateMember(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  memberId: MemberId,
  { reason }: StateChange,
): Promise<boolean> {
  const { role, deactivatedAt } = await requireMember(tx, orgId, memberId);
  if (deactivatedAt !== null) {
    if (reason === "directory") await takeOver(tx, orgId, memberId);
    return false;
  }
  if (role === "owner") await requireAnotherOwner(tx, orgId, memberId);
  await store.setDeactivated(tx, orgId, memberId, reason === "manual" ? "admin" : "directory");
  const ended = await endCredentialsOfMember(ctx, tx, orgId, memberId);
  const after = { reason, ...ended };
  await record(ctx, tx, { action: "member.deactivated", target: toTarget(memberId), after }, orgId);
  return true;
}

async function takeOver(tx: Db, orgId: OrgId, memberId: MemberId): Promise<void> {
  if ((await store.findDeactivator(tx, orgId, memberId)) === "admin")
    await store.setDeactivated(tx, orgId, memberId, "directory");
}

/**
 * Gives a deactivated member the same role and teams again. Keys and tokens have to be created again. Returns false
 * when the member is active, or when an admin deactivated the member and a directory calls them active. The caller holds
 * the lock of the organization's rights.
 */
export async function reactivateMember(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  memberId: MemberId,
  { reason }: StateChange,
): Promise<boolean> {
  const { userId, email, deactivatedAt } = await requireMember(tx, orgId, memberId);
  if (deactivatedAt === null) return false;
  if (reason !== "manual" && (await store.findDeactivator(tx, orgId, memberId)) === "admin") {
    // The directory knows the person again. An admin may then reactivate them.
    await store.removeFormer(tx, orgId, email);
    return false;
  }
  await takeQuota(ctx, tx, orgId, "members");
  // A request that had started before the deactivation may have created a credential after it.
  await endCredentialsOfMember(ctx, tx, orgId, memberId);
  await store.setDeactivated(tx, orgId, memberId, null);
  await store.removeFormer(tx, orgId, email);
  // Sessions without an organization are cached by their person.
  await invalidateCallers(ctx.bus, tx, userId);
  await record(
    ctx,
    tx,
    { action: "member.reactivated", target: toTarget(memberId), after: { reason } },
    orgId,
  );
  return true;
}

export async function deactivate(ctx: MemberCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "members:manage");
    const member = await requireMember(tx, ctx.orgId, id);
    if (member.id === actor.id)
      throw conflict("own_membership", "You cannot deactivate yourself. Leave the organization instead.");
    await checkMayChangeMember(tx, actor, member);
    requireFreshForOwner(ctx, member.role);
    refuseManaged(member, "deactivation");
    await deactivateMember(ctx, tx, ctx.orgId, member.id, { reason: "manual" });
    return { member: await requireMember(tx, ctx.orgId, id) };
  });
}

/** The job of `scim`, which imports this room. The directory reads the member as active from then on. */
const noteReactivation = { name: "scim.member-reactivated" } satisfies JobReference;

export async function reactivate(ctx: MemberCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "members:manage");
    const member = await requireMember(tx, ctx.orgId, id);
    requireFreshToGive(ctx, await checkMayChangeMember(tx, actor, member));
    const isByAdmin = (await store.findDeactivator(tx, ctx.orgId, member.id)) === "admin";
    if (!isByAdmin) refuseManaged(member, "deactivation");
    if ((await store.findFormerReason(tx, ctx.orgId, member.email)) === "deprovisioned") {
      throw conflict(
        "managed_by_scim",
        "The directory has removed this person. Assign them in the directory again, or remove the SCIM connector.",
      );
    }
    const isChanged = await reactivateMember(ctx, tx, ctx.orgId, member.id, { reason: "manual" });
    if (isChanged && member.managedBy !== null)
      await ctx.jobs.add(tx, noteReactivation, { orgId: ctx.orgId, memberId: member.id });
    return { member: await requireMember(tx, ctx.orgId, id) };
  });
}

const toTarget = (id: string) => ({ type: "member", id });
