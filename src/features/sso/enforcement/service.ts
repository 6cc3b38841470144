import type { MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, forbidden, invalidField } from "../../../platform/errors.ts";
import { checkAccess } from "../../../platform/http/index.ts";
import { isId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { endCredentialsOfMember } from "../../credentials/index.ts";
import { can } from "../../permissions/index.ts";
import * as store from "./store.ts";

/** Changes of this rule need the permission and a fresh session, like every change of single sign-on. */
export const checkMayChangeRequirement = ({ caller }: MemberCtx): void =>
  checkAccess(can("sso:manage", { fresh: true }), caller, Date.now());

/**
 * Refuses to require single sign-on while an owner could lock the organization out: the person who requires it must
 * have signed in with it, and a named owner must be able to sign in without it.
 */
export async function checkMayRequireSso(
  { userId, orgId }: MemberCtx,
  tx: Db,
  breakGlassMemberId: string | null,
): Promise<void> {
  if (!(await store.hasEnabledConnector(tx, orgId)))
    throw conflict(
      "sso_not_configured",
      "This organization has no single sign-on yet, so nobody could sign in. Set it up first, then require it.",
    );
  if (!(await store.hasConnectorTestedBy(tx, orgId, userId)))
    throw conflict(
      "sso_not_tested",
      "Test a sign-in as yourself first: POST /v1/sso/{id}/test. Otherwise you might lock yourself out.",
    );
  if (breakGlassMemberId === null)
    throw conflict(
      "break_glass_required",
      "Name an owner in breakGlassMemberId who may sign in with password and second factor when the provider fails.",
    );
  if (!isId("mem", breakGlassMemberId) || !(await store.isProtectedOwner(tx, orgId, breakGlassMemberId)))
    throw invalidField(
      ["breakGlassMemberId"],
      "Must be an active owner of this organization whose second factor is on.",
    );
}

/** Ends keys and tokens of members who cannot sign in any more. Returns how many members that were. */
export async function endCredentialsOfLockedOut(
  ctx: MemberCtx,
  tx: Db,
  breakGlassMemberId: string,
): Promise<number> {
  if (!isId("mem", breakGlassMemberId)) throw forbidden("owner_required", "Name an owner.");
  const members = await store.listLockedOut(tx, ctx.orgId, breakGlassMemberId);
  for (const { memberId } of members) {
    const ended = await endCredentialsOfMember(ctx, tx, ctx.orgId, memberId);
    if (Object.values(ended).some((count) => count > 0))
      await record(ctx, tx, {
        action: "member.credentials_ended",
        target: { type: "member", id: memberId },
        after: { reason: "sso_required", ...ended },
      });
  }
  return members.length;
}
