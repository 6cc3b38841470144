import { setTimeout as sleep } from "node:timers/promises";
import { APIError } from "better-auth/api";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import type { Ctx, PersonCtx, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, invalidField, invalidRequest, unauthorized } from "../../platform/errors.ts";
import { countAttempt, forgetAttempt, forgetCallers, networkOf } from "../../platform/http/index.ts";
import { countMail } from "../../platform/mail/index.ts";
import { hashSecret } from "../../platform/secrets.ts";
import { record } from "../audit/index.ts";
import { endCredentialsOfUser } from "../credentials/index.ts";
import { callLibrary, headersOf, libraryOf, resetIdentifier, type SignedIn, signedIn } from "./library.ts";
import { mayMail, perMailbox } from "./mail-limit.ts";
import { proveMailbox } from "./mailbox/index.ts";
import { isProvisionalAddress } from "./provisional.ts";
import { endSession, findSignedInBy, refreshSession, removeSessionByToken } from "./sessions/index.ts";
import * as store from "./store.ts";
import { type Challenge, challenge, checkCode, isOn, removeChallenges } from "./two-factor/index.ts";

/** Per person and place: a stranger's guesses do not lock the person out elsewhere. */
const attemptsOf = ({ address }: Ctx, email: string) =>
  `sign-in ${email.toLowerCase()} ${networkOf(address)}`;
const wrongPasswords = { attempts: 10, perSeconds: 600 };

type FirstStep = { status: 200; body: SignedIn } | { status: 202; body: Challenge };

export async function signIn(ctx: Ctx, body: { email: string; password: string }): Promise<FirstStep> {
  const key = attemptsOf(ctx, body.email);
  await countAttempt(ctx.db, key, wrongPasswords);
  try {
    const result = signedIn(
      await callLibrary(libraryOf(ctx).api.signInEmail({ body, headers: headersOf(ctx) })),
    );
    await forgetAttempt(ctx.db, key);
    const userId = result.user.id as UserId;
    if (!(await isOn(ctx.db, userId))) return { status: 200, body: result };
    // The library has opened a session by now; nobody was given its token, and nobody will be.
    return await ctx.db.transaction(async (tx) => {
      await removeSessionByToken(tx, hashSecret(result.token));
      return { status: 202, body: await challenge(tx, userId) };
    });
  } catch (error) {
    if (error instanceof APIError && error.statusCode === 401) {
      throw unauthorized("invalid_credentials", "The e-mail address or the password is wrong.");
    }
    throw error;
  }
}

export async function signOut({ db, bus, caller, userId }: PersonCtx): Promise<{ ok: true }> {
  await db.transaction(async (tx) => {
    await endSession(tx, userId, caller.credentialId);
    await forgetCallers(bus, tx, caller.credentialId);
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
    await forgetCallers(bus, tx, caller.credentialId);
    return row;
  });
  // Ended at this moment.
  if (!refreshed) throw unauthorized("invalid_token");
  return refreshed;
}

async function checkPassword(ctx: PersonCtx, password: string): Promise<void> {
  const hash = await store.passwordHashOf(ctx.db, ctx.userId);
  if (hash === undefined) throw conflict("no_password", "This account has no password. Reset it to get one.");
  const key = attemptsOf(ctx, await store.emailOf(ctx.db, ctx.userId));
  await countAttempt(ctx.db, key, wrongPasswords);
  if (!(await verifyPassword({ hash, password })))
    throw invalidField(["password"], "This is not your password.");
  await forgetAttempt(ctx.db, key);
}

/** Longer than the work takes, so that the response time does not show whether the account exists. */
const resetReplyMs = 150;

export async function requestPasswordReset(ctx: Ctx, body: { email: string }): Promise<{ ok: true }> {
  await Promise.all([sendReset(ctx, body), sleep(resetReplyMs)]);
  return { ok: true };
}

async function sendReset(ctx: Ctx, body: { email: string }): Promise<void> {
  if (isProvisionalAddress(body.email)) return;
  const { api, together } = libraryOf(ctx);
  await countMail(ctx, ctx.db, undefined);
  // Beyond the limit the reply stays the same and no mail is sent. Earlier links still work.
  if (!(await mayMail(ctx.db, "mails", body.email))) return;
  await callLibrary(together(() => api.requestPasswordReset({ body, headers: headersOf(ctx) })));
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
  const found = await store.findResetByToken(db, resetIdentifier(token));
  if (!found) return { kind: "bad_link" };
  return found.isOver ? { kind: "expired" } : { kind: "good", email: found.email };
}

const invalidReset = () => invalidField(["token"], "This link was used or is too old. Ask for a new mail.");

export async function resetPassword(ctx: Ctx, { endKeysAndTokens: endAll, ...body }: NewPassword) {
  const { api, together, findResetUser, withHash } = libraryOf(ctx);
  // An invalid link must not cause the work of hashing. The library checks the link again when it uses it up.
  if ((await openReset(ctx, body.token)).kind !== "good") throw invalidReset();
  const hash = await hashPassword(body.newPassword);
  // One transaction: a new password must also end every session, or a thief would stay signed in.
  const reset = async (tx: Db) => {
    await api.resetPassword({ body, headers: headersOf(ctx) });
    const userId = findResetUser(tx);
    if (!userId) throw new Error("The library reset a password without reporting its user.");
    // Another person may hold an older link.
    await store.removeLinks(tx, userId);
    await removeChallenges(tx, userId);
    const target = { type: "user", id: userId };
    await record(ctx, tx, { action: "user.password_reset", target }, null);
    const first = await proveMailbox(ctx, tx, userId, { proof: "password_reset" });
    if (endAll && !first) await endCredentialsOfUser(ctx, tx, userId, "password_reset");
  };
  try {
    await callLibrary(withHash(hash, () => together(reset)));
    return { ok: true } as const;
  } catch (error) {
    if (error instanceof APIError && error.statusCode === 400) throw invalidReset();
    throw error;
  }
}

export async function sendVerificationEmail(ctx: PersonCtx): Promise<{ ok: true }> {
  const email = await store.emailOf(ctx.db, ctx.userId);
  await countMail(ctx, ctx.db, ctx.userId);
  await countAttempt(ctx.db, `confirmation mails ${ctx.userId}`, perMailbox);
  await callLibrary(libraryOf(ctx).api.sendVerificationEmail({ body: { email }, headers: headersOf(ctx) }));
  return { ok: true };
}
