import { APIError } from "better-auth/api";
import { verifyPassword } from "better-auth/crypto";
import type { Caller, Ctx, UserCtx, UserId } from "../../platform/context.ts";
import { type Db, violatedConstraint } from "../../platform/db/index.ts";
import { conflict, invalidField, invalidRequest, unauthorized } from "../../platform/errors.ts";
import { countAttempt, forgetAttempt, forgetCallers, networkOf } from "../../platform/http/index.ts";
import { hashSecret } from "../../platform/secrets.ts";
import { recordOfUser } from "../audit/index.ts";
import { type MembershipRow, membershipFrom } from "../permissions/index.ts";
import { StorageError } from "./adapter.ts";
import type { User } from "./contract.ts";
import { libraryOf } from "./library.ts";
import { isProvisionalAddress } from "./provisional.ts";
import { endSession, refreshSession, removeSessionByToken } from "./sessions/index.ts";
import * as store from "./store.ts";
import { type Challenge, challenge, checkCode, isOn } from "./two-factor/index.ts";

interface SignedIn {
  token: string;
  user: User;
}

export async function signUp(
  ctx: Ctx,
  body: { email: string; password: string; name: string },
): Promise<SignedIn> {
  try {
    const made = signedIn(await call(libraryOf(ctx).api.signUpEmail({ body, headers: headersOf(ctx) })));
    const { id, email, name } = made.user;
    await recordOfUser(ctx, ctx.db, made.user, { action: "user.signed_up", after: { id, email, name } });
    return made;
  } catch (error) {
    // The second: of two at the same moment, the one that came second.
    if (codeOf(error)?.startsWith("USER_ALREADY_EXISTS") || violatedConstraint(error) === "users_email_key") {
      throw conflict("email_taken", "There is an account with this address. Sign in, or reset its password.");
    }
    throw error;
  }
}

/** Per person and place: a stranger's guesses do not lock the person out elsewhere. */
const attemptsOf = ({ address }: Ctx, email: string) =>
  `sign-in ${email.toLowerCase()} ${networkOf(address)}`;
const wrongPasswords = { attempts: 10, perSeconds: 600 };

type FirstStep = { status: 200; body: SignedIn } | { status: 202; body: Challenge };

export async function signIn(ctx: Ctx, body: { email: string; password: string }): Promise<FirstStep> {
  const key = attemptsOf(ctx, body.email);
  await countAttempt(ctx.db, key, wrongPasswords);
  try {
    const result = signedIn(await call(libraryOf(ctx).api.signInEmail({ body, headers: headersOf(ctx) })));
    await forgetAttempt(ctx.db, key);
    const userId = result.user.id as UserId;
    if (!(await isOn(ctx.db, userId))) return { status: 200, body: result };
    // The library has opened a session by now; nobody was given its token, and nobody will be.
    return await ctx.db.transaction(async (tx) => {
      await removeSessionByToken(tx, hashSecret(result.token));
      return { status: 202, body: await challenge(tx, userId) };
    });
  } catch (error) {
    if (error instanceof APIError && error.statusCode === 401) throw unauthorized("invalid_credentials");
    throw error;
  }
}

export async function signOut({ db, bus, caller, userId }: UserCtx): Promise<{ ok: true }> {
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
export async function reauthenticate(ctx: UserCtx, { password, code }: Proof) {
  const { db, bus, userId, caller } = ctx;
  if ((password === undefined) === (code === undefined))
    throw invalidRequest([{ message: "Send either the password, or a code." }]);
  if (caller.signedInBy === "sso") {
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

async function checkPassword(ctx: UserCtx, password: string): Promise<void> {
  const hash = await store.passwordHashOf(ctx.db, ctx.userId);
  if (hash === undefined) throw conflict("no_password", "This account has no password. Reset it to get one.");
  const key = attemptsOf(ctx, await store.emailOf(ctx.db, ctx.userId));
  await countAttempt(ctx.db, key, wrongPasswords);
  if (!(await verifyPassword({ hash, password })))
    throw invalidField(["password"], "This is not your password.");
  await forgetAttempt(ctx.db, key);
}

export async function requestPasswordReset(ctx: Ctx, body: { email: string }): Promise<{ ok: true }> {
  if (isProvisionalAddress(body.email)) return { ok: true };
  const { api, together } = libraryOf(ctx);
  await call(together(() => api.requestPasswordReset({ body, headers: headersOf(ctx) })));
  return { ok: true };
}

export async function resetPassword(
  ctx: Ctx,
  body: { token: string; newPassword: string },
): Promise<{ ok: true }> {
  const { api, together } = libraryOf(ctx);
  try {
    // Together: the new password without the end of every session would leave a thief signed in.
    await call(together(() => api.resetPassword({ body, headers: headersOf(ctx) })));
    return { ok: true };
  } catch (error) {
    if (error instanceof APIError && error.statusCode === 400) {
      throw invalidField(["token"], "This link was used or is too old. Ask for a new mail.");
    }
    throw error;
  }
}

export async function sendVerificationEmail(ctx: UserCtx): Promise<{ ok: true }> {
  const email = await store.emailOf(ctx.db, ctx.userId);
  await call(libraryOf(ctx).api.sendVerificationEmail({ body: { email }, headers: headersOf(ctx) }));
  return { ok: true };
}

/** True when the address is confirmed now; a link may be opened twice. */
export async function verifyEmail(ctx: Ctx, token: string): Promise<boolean> {
  try {
    await call(libraryOf(ctx).api.verifyEmail({ query: { token }, headers: headersOf(ctx) }));
    return true;
  } catch (error) {
    if (error instanceof APIError) return false;
    throw error;
  }
}

export async function resolveSession(
  db: Db,
  tokenHash: string,
  orgId: string | undefined,
): Promise<Caller | undefined> {
  const row = await store.findSessionByToken(db, tokenHash, orgId);
  if (!row) return undefined;
  return {
    credential: "session",
    credentialId: row.id,
    userId: row.userId,
    signedInAt: row.signedInAt,
    signedInBy: row.signedInBy,
    ...(row.memberId ? { member: membershipFrom(row as MembershipRow) } : {}),
  };
}

const headersOf = ({ address, userAgent }: Ctx) =>
  new Headers({ "user-agent": userAgent, ...(address === "unknown" ? {} : { "x-client-address": address }) });

/** A fault of the database comes out of the library as what it is. */
async function call<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof StorageError ? error.cause : error;
  }
}

const codeOf = (error: unknown) => (error instanceof APIError ? error.body?.code : undefined);

interface LibraryUser {
  id: string;
  email: string;
  emailVerified: boolean;
  name: string;
  createdAt: Date;
}

function signedIn({ token, user }: { token: string | null; user: LibraryUser }): SignedIn {
  if (!token) throw new Error("Signing in gave no session.");
  const { id, email, emailVerified, name, createdAt } = user;
  return { token, user: { id, email, emailVerified, name, createdAt: createdAt.getTime() } };
}
