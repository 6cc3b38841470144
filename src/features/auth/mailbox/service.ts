import type { Ctx, UserId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { forbidden, invalidField } from "../../../platform/errors.ts";
import { record } from "../../audit/index.ts";
import { endCredentialsOfUser } from "../../credentials/index.ts";
import type { User } from "../contract.ts";
import { createVerificationToken, readVerificationToken } from "../links.ts";
import * as mails from "../mails.ts";
import { removePasskeys } from "../passkeys/index.ts";
import { announceProvenAddress } from "../proven-address.ts";
import { removeOtherSessions } from "../sessions/index.ts";
import * as store from "../store.ts";
import { removeChallenges, removeTwoFactor } from "../two-factor/index.ts";
import { findVisitor } from "../visitor.ts";

/** Sends the link that confirms an address; commits with `db`. */
export const sendVerificationMail = ({ mail, config, keyring }: Ctx, db: Db, email: string) =>
  mail.send(
    db,
    mails.createVerificationMail(config.publicUrl, { email }, createVerificationToken(keyring, email)),
  );

/**
 * Marks the address as verified and ends all access but `keepSession`, because a stranger may have set it up.
 * Returns false and changes nothing when the address was already verified.
 */
export async function confirmMailbox(
  ctx: Ctx,
  tx: Db,
  userId: UserId,
  by: { proof: "password_reset" } | { proof: "invitation"; keepSession: string },
): Promise<boolean> {
  if ((await store.confirmAddress(tx, userId)) === 0) return false;
  await announceProvenAddress(ctx, tx, userId);
  // An invitation is accepted in a session that passed the second factor, so the factor belongs to the same person.
  if (by.proof === "password_reset") await removeSecondFactors(tx, userId);
  const ended = await endAccess(
    ctx,
    tx,
    userId,
    "email_verified",
    by.proof === "invitation" ? by.keepSession : "",
  );
  await recordVerification(ctx, tx, userId, { by: by.proof, ...ended });
  return true;
}

async function removeSecondFactors(tx: Db, userId: UserId): Promise<void> {
  await removeTwoFactor(tx, userId);
  await removePasskeys(tx, userId);
}

async function endAccess(
  ctx: Ctx,
  tx: Db,
  userId: UserId,
  reason: "email_verified" | "account_disowned",
  keepSession = "",
) {
  await removeChallenges(tx, userId);
  await store.removeLinks(tx, userId);
  const sessions = await removeOtherSessions(tx, userId, keepSession);
  // Unfinished OAuth attempts end together with the credential that started them.
  return { sessions, ...(await endCredentialsOfUser(ctx, tx, userId, reason)) };
}

const recordVerification = (ctx: Ctx, tx: Db, userId: UserId, after: object) =>
  record(ctx, tx, { action: "user.email_verified", target: toTarget(userId), after: { ...after } }, null);

const toTarget = (id: string) => ({ type: "user", id });

/** The account that a confirmation link belongs to. Undefined when the link has expired or was changed. */
async function findAccount({ db, keyring }: Ctx, token: string): Promise<User | undefined> {
  const email = readVerificationToken(keyring, token);
  return email === undefined ? undefined : store.findUserByEmail(db, email);
}

export type VerificationLink =
  | { kind: "invalid"; hasToken: boolean; visitor: User | undefined }
  | { kind: "verified" | "unclear"; user: User };

/**
 * Handles an opened link. A browser with a session of the account confirms at once, because its user made the account.
 * Other browsers get a question: mail programs open links too, and strangers sign up with addresses of others.
 */
export async function openLink(
  ctx: Ctx,
  token: string | undefined,
  cookies: string | undefined,
): Promise<VerificationLink> {
  const [user, visitor] = [token && (await findAccount(ctx, token)), await findVisitor(ctx, cookies)];
  if (!user) return { kind: "invalid", hasToken: token !== undefined, visitor };
  if (user.emailVerified) return { kind: "verified", user };
  if (visitor?.id !== user.id) return { kind: "unclear", user };
  await confirm(ctx, user.id);
  return { kind: "verified", user };
}

const confirm = (ctx: Ctx, userId: UserId) =>
  ctx.db.transaction(async (tx) => {
    if ((await store.confirmAddress(tx, userId)) === 0) return;
    await announceProvenAddress(ctx, tx, userId);
    await recordVerification(ctx, tx, userId, { by: "link" });
  });

const invalidLink = () =>
  invalidField(["token"], "This link is too old or not complete. Ask for a new mail.");

/** Confirms the address because the recipient of the mail claims the account. Everything stays. */
export async function verifyEmail(ctx: Ctx, { token }: { token: string }): Promise<{ ok: true }> {
  const user = await findAccount(ctx, token);
  if (!user) throw invalidLink();
  await confirm(ctx, user.id);
  return { ok: true };
}

/** Ends all access because the recipient of the mail did not make the account. A password reset reopens it. */
export async function disownAccount(ctx: Ctx, { token }: { token: string }): Promise<{ ok: true }> {
  const user = await findAccount(ctx, token);
  if (!user) throw invalidLink();
  if (user.emailVerified) {
    throw forbidden(
      "email_verified",
      "This address was confirmed before. Reset the password to end every session.",
    );
  }
  const userId = user.id;
  await ctx.db.transaction(async (tx) => {
    await removeSecondFactors(tx, userId);
    await store.removePassword(tx, userId);
    const ended = await endAccess(ctx, tx, userId, "account_disowned");
    await record(ctx, tx, { action: "user.disowned", target: toTarget(userId), after: ended }, null);
  });
  return { ok: true };
}
