import type { Platform } from "../../platform/context.ts";
import { OperatorError } from "../../platform/errors.ts";
import { invalidateCallers } from "../../platform/http/index.ts";
import { recordAsSystem } from "../audit/index.ts";
import * as mails from "./mails.ts";
import { removePasskeys } from "./passkeys/index.ts";
import { removeOtherSessions } from "./sessions/index.ts";
import { findUserByEmail, listOrganizationIds } from "./store.ts";
import { hasTwoFactor, removeChallenges, removeTwoFactor } from "./two-factor/index.ts";

/** Removes every second factor of a person who lost the device and the backup codes. For the operator. */
export async function resetTwoFactor(platform: Platform, email: string) {
  return platform.db.transaction(async (tx) => {
    const user = await findUserByEmail(tx, email);
    if (!user) throw new OperatorError(`There is no account with the address ${email}. Check the spelling.`);
    const userId = user.id;
    if (!(await hasTwoFactor(tx, userId)))
      throw new OperatorError(`${user.email} has no second factor. There is nothing to remove.`);
    await removeTwoFactor(tx, userId);
    const passkeys = await removePasskeys(tx, userId);
    await removeChallenges(tx, userId);
    const sessions = await removeOtherSessions(tx, userId, "");
    await invalidateCallers(platform.bus, tx, userId);
    const organizations = await listOrganizationIds(tx, userId);
    const change = {
      action: "user.two_factor_reset",
      target: { type: "user", id: userId },
      after: { sessionsEnded: sessions, passkeysRemoved: passkeys },
    } as const;
    for (const orgId of [...organizations, null]) await recordAsSystem(tx, orgId, change);
    await platform.mail.send(tx, mails.createTwoFactorResetMail(platform.config.publicUrl, user));
    return { userId: user.id, email: user.email, sessionsEnded: sessions, organizations };
  });
}
