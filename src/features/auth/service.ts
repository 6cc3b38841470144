import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx, PersonCtx } from "../../platform/context.ts";
import { conflict, invalidField, invalidRequest, unauthorized } from "../../platform/errors.ts";
import { countAttempt, invalidateCallers, resetAttempts, toNetwork } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { countMail } from "../../platform/mail/index.ts";
import { newToken } from "../../platform/secrets.ts";
import { record } from "../audit/index.ts";
import { endCredentialsOfUser } from "../credentials/index.ts";
import { hashResetToken, resetMinutes } from "./links.ts";
import { mayMail, perMailbox } from "./mail-limit.ts";
import { mailVerification, proveMailbox } from "./mailbox/index.ts";
import * as mails from "./mails.ts";
import { hashPassword, isOutdated, verifyPassword } from "./passwords.ts";
import { isProvisionalAddress } from "./provisional.ts";
import {
  endSession,
  findSignedInBy,
  refreshSession,
  removeOtherSessions,
  type SignedIn,
  startSession,
} from "./sessions/index.ts";
import * as store from "./store.ts";
import { type Challenge, challenge, checkCode, isOn, removeChallenges } from "./two-factor/index.ts";

/** Per person and place: a stranger's guesses do not lock the person out elsewhere. */
const attemptsOf = ({ address }: Ctx, email: string) =>
  `sign-in ${email.toLowerCase()} ${toNetwork(address)}`;
const wrongPasswords = { attempts: 10, perSeconds: 600 };

interface SignIn {
  email: string;
  password: string;
}

type FirstStep = { status: 200; body: SignedIn } | { status: 202; body: Challenge };

export async function signIn(ctx: Ctx, { email, password }: SignIn): Promise<FirstStep> {
  const key = attemptsOf(ctx, email);
  await countAttempt(ctx.db, key, wrongPasswords);
  const user = await store.findUserByEmail(ctx.db, email);
  const hash = user && (await store.findPasswordHash(ctx.db, user.id));
  // Without an account the same work is done, so that the time of the reply does not show whether there is one.
  const isRight = hash ? await verifyPassword(hash, password) : (await hashPassword(password)) === "";
  if (!user || !hash || !isRight)
    throw unauthorized("invalid_credentials", "The e-mail address or the password is wrong.");
  const userId = user.id;
  await resetAttempts(ctx.db, key);
  if (isOutdated(hash)) await store.replacePasswordHash(ctx.db, userId, hash, await hashPassword(password));
  return ctx.db.transaction(async (tx) =>
    (await isOn(tx, userId))
      ? { status: 202, body: await challenge(tx, userId) }
      : { status: 200, body: { token: await startSession(ctx, tx, userId, "password"), user } },
  );
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
}

/** Makes this session as fresh as a new one, by what signing in would have asked for. */
export async function reauthenticate(ctx: PersonCtx, { password, code }: Proof) {
  const { db, bus, userId, caller } = ctx;
  if ((password === undefined) === (code === undefined))
    throw invalidRequest([{ message: "Send either the password, or a code." }]);
  if ((await findSignedInBy(db, userId, caller.credentialId)) === "sso") {
    // A password must not stand in for the organization's own way of knowing people.
    throw conflict("sso_session", "You came by single sign-on. Sign in through it again to go on.");
  }
  if (await isOn(db, userId)) {
    if (code === undefined)
      throw invalidField(["code"], "A second factor is on: send a code instead of the password.");
    await checkCode(ctx, code);
  } else {
    if (password === undefined)
      throw invalidField(["password"], "No second factor is on: send the password.");
    await checkPassword(ctx, password);
  }
  const refreshed = await db.transaction(async (tx) => {
    const row = await refreshSession(tx, userId, caller.credentialId);
    await invalidateCallers(bus, tx, caller.credentialId);
    return row;
  });
  // Ended at this moment.
  if (!refreshed) throw unauthorized("invalid_token");
  return refreshed;
}

async function checkPassword(ctx: PersonCtx, password: string): Promise<void> {
  const hash = await store.findPasswordHash(ctx.db, ctx.userId);
  if (hash === undefined) throw conflict("no_password", "This account has no password. Reset it to get one.");
  const key = attemptsOf(ctx, await store.emailOf(ctx.db, ctx.userId));
  await countAttempt(ctx.db, key, wrongPasswords);
  if (!(await verifyPassword(hash, password))) throw invalidField(["password"], "This is not your password.");
  await resetAttempts(ctx.db, key);
}

/** Longer than the work takes, so that the response time does not show whether the account exists. */
const resetReplyMs = 150;

export async function requestPasswordReset(ctx: Ctx, body: { email: string }): Promise<{ ok: true }> {
  await Promise.all([sendReset(ctx, body), sleep(resetReplyMs)]);
  return { ok: true };
}

async function sendReset(ctx: Ctx, { email }: { email: string }): Promise<void> {
  if (isProvisionalAddress(email)) return;
  await countMail(ctx, ctx.db, undefined);
  // Beyond the limit the reply stays the same and no mail is sent. Earlier links still work.
  if (!(await mayMail(ctx.db, "mails", email))) return;
  const user = await store.findUserByEmail(ctx.db, email);
  if (!user) return;
  const token = newToken("");
  await ctx.db.transaction(async (tx) => {
    await store.insertReset(tx, user.id, newId("ver"), hashResetToken(token), resetMinutes);
    await ctx.mail.send(tx, mails.resetPassword(ctx.config.publicUrl, user, token));
  });
}

interface NewPassword {
  token: string;
  newPassword: string;
  endKeysAndTokens?: boolean | undefined;
}

export type OpenedReset = { kind: "good"; email: string } | { kind: "asked" | "bad_link" | "expired" };

/** Finds the account of a reset link, or why the link is not valid. Does not use up the link. */
export async function openReset({ db }: Ctx, token: string | undefined): Promise<OpenedReset> {
  if (token === undefined) return { kind: "asked" };
  const found = await store.findResetByToken(db, hashResetToken(token));
  if (!found) return { kind: "bad_link" };
  return found.isOver ? { kind: "expired" } : { kind: "good", email: found.email };
}

const invalidReset = () => invalidField(["token"], "This link was used or is too old. Ask for a new mail.");

export async function resetPassword(ctx: Ctx, { token, newPassword, endKeysAndTokens: endAll }: NewPassword) {
  // An invalid link must not cause the work of hashing. The link is checked again when it is used up.
  if ((await openReset(ctx, token)).kind !== "good") throw invalidReset();
  const hash = await hashPassword(newPassword);
  // One transaction: a new password must also end every session, or a thief would stay signed in.
  await ctx.db.transaction(async (tx) => {
    const used = await store.useResetByToken(tx, hashResetToken(token));
    if (!used) throw invalidReset();
    const { userId } = used;
    await store.setPassword(tx, userId, newId("acc"), hash);
    await removeOtherSessions(tx, userId, "");
    await invalidateCallers(ctx.bus, tx, userId);
    // Another person may hold an older link.
    await store.removeLinks(tx, userId);
    await removeChallenges(tx, userId);
    const target = { type: "user", id: userId };
    await record(ctx, tx, { action: "user.password_reset", target }, null);
    const first = await proveMailbox(ctx, tx, userId, { proof: "password_reset" });
    if (endAll && !first) await endCredentialsOfUser(ctx, tx, userId, "password_reset");
  });
  return { ok: true } as const;
}

export async function sendVerificationEmail(ctx: PersonCtx): Promise<{ ok: true }> {
  await countMail(ctx, ctx.db, ctx.userId);
  await countAttempt(ctx.db, `confirmation mails ${ctx.userId}`, perMailbox);
  const user = await store.findUser(ctx.db, ctx.userId);
  if (user && !user.emailVerified) await mailVerification(ctx, ctx.db, user.email);
  return { ok: true };
}
