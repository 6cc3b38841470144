import type { Ctx, MemberCtx, MemberId, OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict } from "../../platform/errors.ts";
import { invalidateCallers } from "../../platform/http/index.ts";
import { record } from "../audit/index.ts";
import { endCredentialsOfMember } from "../credentials/index.ts";
import { checkMayChangeMember, lockAuthority } from "../roles/index.ts";
import { refuseManaged, requireAnotherOwner, requireMember } from "./rules.ts";
import * as store from "./store.ts";

/** Why the state of a member changes, for the audit log. */
interface StateChange {
  reason: string;
}

/**
 * Takes all access away at once, in every process. The member keeps role and teams. Returns false when the member was
 * deactivated already. The caller holds the lock of the organization's rights.
 */
export async function deactivateMember(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  memberId: MemberId,
  { reason }: StateChange,
): Promise<boolean> {
  const { role, deactivatedAt } = await requireMember(tx, orgId, memberId);
  if (deactivatedAt !== null) return false;
  if (role === "owner") await requireAnotherOwner(tx, orgId, memberId);
  await store.setDeactivated(tx, orgId, memberId, true);
  const ended = await endCredentialsOfMember(ctx, tx, orgId, memberId);
  const after = { reason, ...ended };
  await record(ctx, tx, { action: "member.deactivated", target: toTarget(memberId), after }, orgId);
  return true;
}

/**
 * Gives a deactivated member the same role and teams again. Keys and tokens have to be created again. Returns false
 * when the member is active. The caller holds the lock of the organization's rights.
 */
export async function reactivateMember(
  ctx: Ctx,
  tx: Db,
  orgId: OrgId,
  memberId: MemberId,
  { reason }: StateChange,
): Promise<boolean> {
  const { userId, deactivatedAt } = await requireMember(tx, orgId, memberId);
  if (deactivatedAt === null) return false;
  // A request that had started before the deactivation may have created a credential after it.
  await endCredentialsOfMember(ctx, tx, orgId, memberId);
  await store.setDeactivated(tx, orgId, memberId, false);
  await store.removeFormer(tx, orgId, userId);
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
    refuseManaged(member, "deactivation");
    await deactivateMember(ctx, tx, ctx.orgId, member.id, { reason: "manual" });
    return { member: await requireMember(tx, ctx.orgId, id) };
  });
}

export async function reactivate(ctx: MemberCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "members:manage");
    const member = await requireMember(tx, ctx.orgId, id);
    await checkMayChangeMember(tx, actor, member);
    refuseManaged(member, "deactivation");
    if ((await store.findFormerReason(tx, ctx.orgId, member.userId)) === "deprovisioned") {
      throw conflict(
        "managed_by_scim",
        "The directory has removed this person. Assign them in the directory again, or remove the SCIM connector.",
      );
    }
    await reactivateMember(ctx, tx, ctx.orgId, member.id, { reason: "manual" });
    return { member: await requireMember(tx, ctx.orgId, id) };
  });
}

const toTarget = (id: string) => ({ type: "member", id });
