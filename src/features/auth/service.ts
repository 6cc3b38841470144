import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx, PersonCtx } from "../../platform/context.ts";
import { conflict, invalidField, invalidRequest, unauthorized } from "../../platform/errors.ts";
import { countAttempt, invalidateCallers, resetAttempts, toNetwork } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { countMail } from "../../platform/mail/index.ts";
import { newToken } from "../../platform/secrets.ts";
import { record } from "../audit/index.ts";
import { endCredentialsOfUser } from "../credentials/index.ts";
import { reportBreakGlass } from "./break-glass/index.ts";
import { hashResetToken, resetMinutes } from "./links.ts";
import { mailboxLimit, tryCountMail } from "./mail-limit.ts";
import { confirmMailbox, sendVerificationMail } from "./mailbox/index.ts";
import * as mails from "./mails.ts";
import { checkPasskey } from "./passkeys/index.ts";
import { hashPassword, isOutdatedHash, verifyPassword } from "./passwords.ts";
import { isProvisionalAddress } from "./provisional.ts";
import {
  endSession,
  findSignedInBy,
  type NewSession,
  refreshSession,
  removeOtherSessions,
  startSession,
} from "./sessions/index.ts";
import * as store from "./store.ts";
import {
  type Challenge,
  checkCode,
  createChallenge,
  hasTwoFactor,
  removeChallenges,
} from "./two-factor/index.ts";
import type { SignInCredential } from "./webauthn-credentials.ts";

/** Counted per address and network, so that guesses from one network do not block the person in another. */
const toAttemptKey = ({ address }: Ctx, email: string) =>
  `sign-in ${email.toLowerCase()} ${toNetwork(address)}`;
const passwordLimit = { attempts: 10, perSeconds: 600 };

interface SignInInput {
  email: string;
  password: string;
}

type FirstStep = { status: 200; body: NewSession } | { status: 202; body: Challenge };

export async function signIn(ctx: Ctx, { email, password }: SignInInput): Promise<FirstStep> {
  const key = toAttemptKey(ctx, email);
  await countAttempt(ctx.db, key, passwordLimit);
  const user = await store.findUserByEmail(ctx.db, email);
  const hash = user && (await store.findPasswordHash(ctx.db, user.id));
  // Without an account the same work is done, so that the time of the reply does not show whether there is one.
  const isRight = hash ? await verifyPassword(hash, password) : (await hashPassword(password)) === "";
  if (!user || !hash || !isRight)
    throw unauthorized("invalid_credentials", "The e-mail address or the password is wrong.");
  const userId = user.id;
  const result = await ctx.db.transaction(async (tx): Promise<FirstStep | undefined> => {
    if (!(await store.lockPasswordHash(tx, userId, hash))) return undefined;
    return (await hasTwoFactor(tx, userId))
      ? { status: 202, body: await createChallenge(tx, userId) }
      : { status: 200, body: { token: await startSession(ctx, tx, userId, "password"), user } };
  });
  // The password changed while it was checked. A session that starts now would survive the change.
  if (!result) return signIn(ctx, { email, password });
  await resetAttempts(ctx.db, key);
  if (isOutdatedHash(hash))
    await store.replacePasswordHash(ctx.db, userId, hash, await hashPassword(password));
  return result;
}

export async function signOut({ db, bus, caller, userId }: PersonCtx): Promise<{ ok: true }> {
  await db.transaction(async (tx) => {
    await endSession(tx, userId, caller.credentialId);
    await invalidateCallers(bus, tx, caller.credentialId);
  });
  return { ok: true };
}

interface Proof {
  password?: string | undefined;
  code?: string | undefined;
  passkey?: SignInCredential | undefined;
}

/** Renews the sign-in time of the session, after the same check as a sign-in. */
export async function reauthenticate(ctx: PersonCtx, { password, code, passkey }: Proof) {
  const { db, bus, userId, caller } = ctx;
  if ([password, code, passkey].filter((proof) => proof !== undefined).length !== 1)
    throw invalidRequest([{ message: "Send the password, a code or a passkey: one of them." }]);
  if ((await findSignedInBy(db, userId, caller.credentialId)) === "sso") {
    // A password must not replace the organization's single sign-on.
    throw conflict(
      "sso_session",
      "This session was started by single sign-on. Sign in with single sign-on again to continue.",
    );
  }
  if (passkey) await checkPasskey(ctx, passkey);
  else if (await hasTwoFactor(db, userId)) {
    if (code === undefined)
      throw invalidField(
        ["code"],
        "A second factor is enabled. Send a code or a passkey instead of the password.",
      );
    await checkCode(ctx, code);
  } else {
    if (password === undefined)
      throw invalidField(["password"], "No second factor is enabled. Send the password.");
    await checkPassword(ctx, password);
  }
  const refreshed = await db.transaction(async (tx) => {
    await reportBreakGlass(ctx, tx, userId);
    const row = await refreshSession(tx, userId, caller.credentialId);
    await invalidateCallers(bus, tx, caller.credentialId);
    return row;
  });
  // The session ended in the meantime.
  if (!refreshed) throw unauthorized("invalid_token");
  return refreshed;
}

async function checkPassword(ctx: PersonCtx, password: string): Promise<void> {
  const hash = await store.findPasswordHash(ctx.db, ctx.userId);
  if (hash === undefined) throw conflict("no_password", "This account has no password. Reset it to get one.");
  const key = toAttemptKey(ctx, await store.requireEmail(ctx.db, ctx.userId));
  await countAttempt(ctx.db, key, passwordLimit);
  if (!(await verifyPassword(hash, password))) throw invalidField(["password"], "This is not your password.");
  await resetAttempts(ctx.db, key);
}

/** Longer than the work takes, so that the response time does not show whether the account exists. */
const resetReplyMs = 150;

export async function requestPasswordReset(ctx: Ctx, body: { email: string }): Promise<{ ok: true }> {
  await Promise.all([sendResetMail(ctx, body), sleep(resetReplyMs)]);
  return { ok: true };
}

async function sendResetMail(ctx: Ctx, { email }: { email: string }): Promise<void> {
  if (isProvisionalAddress(email)) return;
  await countMail(ctx, ctx.db, undefined);
  // Beyond the limit the reply stays the same and no mail is sent. Earlier links still work.
  if (!(await tryCountMail(ctx.db, "mails", email))) return;
  const user = await store.findUserByEmail(ctx.db, email);
  if (!user) return;
  const token = newToken("");
  await ctx.db.transaction(async (tx) => {
    await store.insertResetLink(tx, user.id, newId("ver"), hashResetToken(token), resetMinutes);
    await ctx.mail.send(tx, mails.createResetPasswordMail(ctx.config.publicUrl, user, token));
  });
}

interface NewPassword {
  token: string;
  newPassword: string;
  endKeysAndTokens?: boolean | undefined;
}

export type ResetLink = { kind: "valid"; email: string } | { kind: "no_token" | "bad_link" | "expired" };

/** Finds the account of a reset link, or why the link is not valid. Does not use up the link. */
export async function findResetLink({ db }: Ctx, token: string | undefined): Promise<ResetLink> {
  if (token === undefined) return { kind: "no_token" };
  const found = await store.findResetLinkByToken(db, hashResetToken(token));
  if (!found) return { kind: "bad_link" };
  return found.isExpired ? { kind: "expired" } : { kind: "valid", email: found.email };
}

const invalidReset = () => invalidField(["token"], "This link was used or is too old. Ask for a new mail.");

export async function resetPassword(ctx: Ctx, { token, newPassword, endKeysAndTokens: endAll }: NewPassword) {
  // An invalid link must not cause the work of hashing. The link is checked again when it is used up.
  if ((await findResetLink(ctx, token)).kind !== "valid") throw invalidReset();
  const hash = await hashPassword(newPassword);
  // One transaction: a new password must also end every session, or a thief would stay signed in.
  await ctx.db.transaction(async (tx) => {
    const used = await store.useResetLinkByToken(tx, hashResetToken(token));
    if (!used) throw invalidReset();
    const { userId } = used;
    await store.setPassword(tx, userId, newId("acc"), hash);
    // Before the sessions: a sign-in that is using up its challenge must have started its session by then.
    await removeChallenges(tx, userId);
    await removeOtherSessions(tx, userId, "");
    await invalidateCallers(ctx.bus, tx, userId);
    // Another person may hold an older link.
    await store.removeLinks(tx, userId);
    const target = { type: "user", id: userId };
    await record(ctx, tx, { action: "user.password_reset", target }, null);
    const first = await confirmMailbox(ctx, tx, userId, { proof: "password_reset" });
    if (endAll && !first) await endCredentialsOfUser(ctx, tx, userId, "password_reset");
  });
  return { ok: true } as const;
}

export async function sendVerificationEmail(ctx: PersonCtx): Promise<{ ok: true }> {
  await countMail(ctx, ctx.db, ctx.userId);
  await countAttempt(ctx.db, `confirmation mails ${ctx.userId}`, mailboxLimit);
  const user = await store.findUser(ctx.db, ctx.userId);
  if (user && !user.emailVerified) await sendVerificationMail(ctx, ctx.db, user.email);
  return { ok: true };
}
