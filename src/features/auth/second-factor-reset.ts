import type { Ctx, OrgId, Platform, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, notFound, OperatorError } from "../../platform/errors.ts";
import { invalidateCallers } from "../../platform/http/index.ts";
import { type Change, record, recordAsSystem } from "../audit/index.ts";
import type { User } from "./contract.ts";
import * as mails from "./mails.ts";
import { removePasskeys } from "./passkeys/index.ts";
import { removeOtherSessions } from "./sessions/index.ts";
import { findUser, findUserByEmail, listOrganizationIds } from "./store.ts";
import { hasTwoFactor, removeChallenges, removeTwoFactor } from "./two-factor/index.ts";

/** Removes every second factor of a person who lost the device and the backup codes. For the operator. */
export async function resetTwoFactor(platform: Platform, email: string) {
  return platform.db.transaction(async (tx) => {
    const user = await findUserByEmail(tx, email);
    if (!user) throw new OperatorError(`There is no account with the address ${email}. Check the spelling.`);
    if (!(await hasTwoFactor(tx, user.id)))
      throw new OperatorError(`${user.email} has no second factor. There is nothing to remove.`);
    const { sessions, organizations, change } = await removeSecondFactors(platform, tx, user);
    await recordAsSystem(tx, null, change);
    return { userId: user.id, email: user.email, sessionsEnded: sessions, organizations };
  });
}

/** The same, for an administrator of the instance who names the account by its id. */
export async function resetTwoFactorOfUser(ctx: Ctx, userId: UserId) {
  return ctx.db.transaction(async (tx) => {
    const user = await findUser(tx, userId);
    if (!user) throw notFound("user");
    if (!(await hasTwoFactor(tx, userId)))
      throw conflict("no_second_factor", "This account has no second factor. There is nothing to remove.");
    const { sessions, passkeys, change } = await removeSecondFactors(ctx, tx, user);
    await record(ctx, tx, change, null);
    return { sessionsEnded: sessions, passkeysRemoved: passkeys };
  });
}

interface Removal {
  sessions: number;
  passkeys: number;
  organizations: OrgId[];
  /** For the log of the instance. The logs of the organizations have it already. */
  change: Change;
}

async function removeSecondFactors(platform: Platform, tx: Db, user: User): Promise<Removal> {
  const userId = user.id;
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
  for (const orgId of organizations) await recordAsSystem(tx, orgId, change);
  await platform.mail.send(tx, mails.createTwoFactorResetMail(platform.config.publicUrl, user));
  return { sessions, passkeys, organizations, change };
}
