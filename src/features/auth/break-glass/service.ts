import type { Ctx, UserId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict } from "../../../platform/errors.ts";
import { recordByMember } from "../../audit/index.ts";
import * as mails from "../mails.ts";
import { findUser } from "../store.ts";
import * as store from "./store.ts";

/**
 * Tells all owners that somebody signed in without the single sign-on that their organization requires. It commits with
 * the sign-in, so that there is no such session without the alarm.
 */
export async function reportBreakGlass(ctx: Ctx, tx: Db, userId: UserId): Promise<void> {
  for (const { orgId, memberId, organization } of await store.listByUserAcrossOrganizations(tx, userId)) {
    const user = (await findUser(tx, userId))!;
    await recordByMember(
      tx,
      orgId,
      { memberId, credential: null, credentialId: null, address: ctx.address, userAgent: ctx.userAgent },
      { action: "organization.break_glass_used", target: { type: "member", id: memberId } },
    );
    for (const owner of await store.listOwners(tx, orgId))
      await ctx.mail.send(
        tx,
        mails.createBreakGlassMail(ctx.config.publicUrl, owner, {
          organization,
          person: user,
          address: ctx.address,
        }),
      );
  }
}

/** Refuses to remove the second factor or the account of a person whom an organization relies on. */
export async function refuseWhileBreakGlass(tx: Db, userId: UserId): Promise<void> {
  const [first] = await store.listByUserAcrossOrganizations(tx, userId);
  if (first)
    throw conflict(
      "break_glass_owner",
      `You are the owner who may sign in to ${first.organization} without its single sign-on, with your second factor. Name another owner for this in its settings first.`,
    );
}
