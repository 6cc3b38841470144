import type { Ctx, PersonCtx, UserId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, invalidField, unauthorized } from "../../../platform/errors.ts";
import { countAttempt, resetAttempts } from "../../../platform/http/index.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import { record, recordByUser } from "../../audit/index.ts";
import { refuseWhileBreakGlass } from "../break-glass/index.ts";
import * as mails from "../mails.ts";
import { startSession } from "../sessions/index.ts";
import { findUser } from "../store.ts";
import { requireVerifiedAddress } from "../verified.ts";
import * as store from "./store.ts";
import * as totp from "./totp.ts";

const toPlace = (userId: UserId) => ({ table: "two_factors", row: userId, column: "secret" });
export const sealedSecrets = { table: "two_factors", id: "user_id", column: "secret" };

const challengePrefix = "sbc_";
const challengeMinutes = 10;
const maxChallengeTries = 5;
/** Counted per person, from all networks: a code has a million values, and three are valid at any time. */
const codeLimit = { attempts: 20, perSeconds: 3600 };
const toAttemptKey = (userId: UserId) => `two-factor ${userId}`;

const alreadyOnError = () =>
  conflict("two_factor_on", "The second factor is already enabled. Disable it first.");
const notOnError = () => conflict("two_factor_off", "The second factor is not enabled.");

export async function begin(ctx: PersonCtx) {
  const { db, keyring, userId } = ctx;
  await requireVerifiedAddress(db, userId, "A second factor");
  const secret = totp.createSecret();
  if (!(await store.begin(db, userId, keyring.seal(secret, toPlace(userId))))) throw alreadyOnError();
  const { email } = (await findUser(db, userId))!;
  const issuer = `Signalbox (${new URL(ctx.config.publicUrl).host})`;
  return { secret, uri: totp.createUri(secret, email, issuer) };
}

export async function confirm(ctx: PersonCtx, { code }: { code: string }) {
  const { userId } = ctx;
  await requireVerifiedAddress(ctx.db, userId, "A second factor");
  const known = await store.find(ctx.db, userId);
  if (known?.confirmedAt) throw alreadyOnError();
  if (!known) throw conflict("two_factor_not_begun", "Begin with POST /v1/me/two-factor.");
  const turnOn = async (tx: Db) => {
    await store.lockPerson(tx, userId);
    await store.confirm(tx, userId);
    await recordAndMail(ctx, tx, "user.two_factor_on", "on");
    return createBackupCodes(tx, userId);
  };
  return runWithCode(ctx, code, turnOn, useFirstCode);
}

export async function renewBackupCodes(ctx: PersonCtx, { code }: { code?: string | undefined }) {
  const { db, userId } = ctx;
  if (!(await store.hasTwoFactor(db, userId))) throw notOnError();
  const renew = async (tx: Db) => {
    await store.lockPerson(tx, userId);
    // While this request waited, the person may have turned off every second factor.
    if (!(await store.hasTwoFactor(tx, userId))) throw notOnError();
    await record(ctx, tx, { action: "user.backup_codes_renewed", target: toTarget(userId) }, null);
    return createBackupCodes(tx, userId);
  };
  if (code !== undefined) return runWithCode(ctx, code, renew);
  if (await store.hasAuthenticator(db, userId))
    throw invalidField(["code"], "Send a code from the authenticator app.");
  return db.transaction(renew);
}

export async function read({ db, userId }: PersonCtx) {
  const [known, passkeys] = [await store.find(db, userId), await store.readPasskeys(db, userId)];
  const authenticatorAt = known?.confirmedAt ?? null;
  const times = [authenticatorAt, passkeys.firstAt].filter((time) => time !== null);
  return {
    twoFactor: {
      enabled: times.length > 0,
      enabledAt: times.length > 0 ? Math.min(...times) : null,
      authenticator: authenticatorAt !== null,
      passkeys: passkeys.count,
      backupCodesLeft: times.length > 0 ? await store.countBackupCodes(db, userId) : 0,
    },
  };
}

export async function remove(ctx: PersonCtx, { code }: { code: string }): Promise<void> {
  if (!(await store.hasAuthenticator(ctx.db, ctx.userId))) throw notOnError();
  await runWithCode(ctx, code, async (tx) => {
    await store.lockPerson(tx, ctx.userId);
    await store.remove(tx, ctx.userId);
    // With several second factors, the others stay.
    if (!(await store.hasTwoFactor(tx, ctx.userId))) await refuseWhileBreakGlass(tx, ctx.userId);
    await removeUnneededBackupCodes(tx, ctx.userId);
    await store.removeChallenges(tx, ctx.userId);
    await recordAndMail(ctx, tx, "user.two_factor_off", "off");
  });
}

/** Sends a mail too, so that the person notices a change by somebody else. */
async function recordAndMail(
  ctx: PersonCtx,
  tx: Db,
  action: `user.${string}`,
  state: "on" | "off",
): Promise<void> {
  await record(ctx, tx, { action, target: toTarget(ctx.userId) }, null);
  const user = await findUser(tx, ctx.userId);
  if (user) await ctx.mail.send(tx, mails.createTwoFactorChangedMail(ctx.config.publicUrl, user, state));
}

const toTarget = (id: string) => ({ type: "user", id });

/** Removes the authenticator app and the backup codes. Passkeys are removed by their own sub-room. */
export async function removeTwoFactor(tx: Db, userId: UserId): Promise<void> {
  await store.remove(tx, userId);
  await store.removeBackupCodes(tx, userId);
}

/** The caller has locked the person: of two requests at the same moment, the codes of one are valid. */
async function createBackupCodes(tx: Db, userId: UserId) {
  // Each code has 80 random bits, so a fast hash is enough.
  const backupCodes = Array.from({ length: 10 }, () =>
    totp
      .createSecret()
      .slice(0, 16)
      .toLowerCase()
      .replace(/(.{4})(?=.)/g, "$1-"),
  );
  await store.replaceBackupCodes(tx, userId, backupCodes.map(hashBackupCode));
  return { backupCodes };
}

/** Gives an account its first backup codes. Null when it has some. */
export async function addBackupCodes(tx: Db, userId: UserId): Promise<string[] | null> {
  if ((await store.countBackupCodes(tx, userId)) > 0) return null;
  return (await createBackupCodes(tx, userId)).backupCodes;
}

/** Backup codes end with the last second factor. */
export async function removeUnneededBackupCodes(tx: Db, userId: UserId): Promise<void> {
  if (!(await store.hasTwoFactor(tx, userId))) await store.removeBackupCodes(tx, userId);
}

const hashBackupCode = (code: string) => hashSecret(code.toLowerCase().replace(/[^a-z2-7]/g, ""));

/** Runs `work` if the code is right, in the transaction that uses up the code. */
async function runWithCode<T>(
  ctx: PersonCtx,
  code: string,
  work: (tx: Db) => Promise<T>,
  use = useCode,
): Promise<T> {
  await countAttempt(ctx.db, toAttemptKey(ctx.userId), codeLimit);
  const result = await ctx.db.transaction(async (tx) => {
    if (!(await use(ctx, tx, ctx.userId, code)))
      throw invalidField(["code"], "This code is wrong or was used before. Wait for the next one.");
    return work(tx);
  });
  await resetAttempts(ctx.db, toAttemptKey(ctx.userId));
  return result;
}

/** For callers that only need the check. */
export const checkCode = (ctx: PersonCtx, code: string) => runWithCode(ctx, code, async () => {});

const isAppCode = (code: string) => /^\d{6}$/.test(code);

async function useCode(ctx: Ctx, tx: Db, userId: UserId, code: string): Promise<boolean> {
  if (!isAppCode(code)) return useBackupCode(ctx, tx, userId, code);
  const known = await store.lock(tx, userId);
  // An app that was begun and not confirmed is no second factor, although a passkey may ask for one.
  return known !== undefined && known.confirmedAt !== null && useStep(ctx, tx, userId, known, code);
}

/** Only the app that is being confirmed has the code for this. A backup code proves nothing about the app. */
async function useFirstCode(ctx: Ctx, tx: Db, userId: UserId, code: string): Promise<boolean> {
  const known = isAppCode(code) ? await store.lock(tx, userId) : undefined;
  return known !== undefined && known.confirmedAt === null && useStep(ctx, tx, userId, known, code);
}

async function useStep(
  { keyring }: Ctx,
  tx: Db,
  userId: UserId,
  known: { secret: string },
  code: string,
): Promise<boolean> {
  const step = totp.findStep(keyring.open(known.secret, toPlace(userId)), code, Date.now());
  return step !== undefined && store.useStep(tx, userId, step);
}

/** Writes an audit entry and sends a mail, so that the owner notices when somebody else uses a code. */
async function useBackupCode(ctx: Ctx, tx: Db, userId: UserId, code: string): Promise<boolean> {
  if (!(await store.useBackupCode(tx, userId, hashBackupCode(code)))) return false;
  const left = await store.countBackupCodes(tx, userId);
  const user = (await findUser(tx, userId))!;
  await recordByUser(ctx, tx, user, { action: "user.backup_code_used", after: { left } });
  await ctx.mail.send(tx, mails.createBackupCodeUsedMail(ctx.config.publicUrl, user, left));
  return true;
}

export interface Challenge {
  twoFactorToken: string;
  expiresAt: number;
}

/** Creates the second step of a sign-in, after the password was right. */
export async function createChallenge(tx: Db, userId: UserId): Promise<Challenge> {
  const twoFactorToken = newToken(challengePrefix);
  const added = await store.insertChallenge(tx, userId, hashSecret(twoFactorToken), challengeMinutes);
  return { twoFactorToken, expiresAt: added!.expiresAt };
}

/** Undefined after too many tries, or when the challenge has expired. */
export const countChallengeTry = (db: Db, tokenHash: string) =>
  store.countChallengeTryByToken(db, tokenHash, maxChallengeTries);

const signInError = () =>
  unauthorized(
    "invalid_credentials",
    "The code is wrong or was used before, or the first step has expired. Use the next code, or sign in again.",
  );

export async function signIn(ctx: Ctx, { twoFactorToken, code }: { twoFactorToken: string; code: string }) {
  const tokenHash = hashSecret(twoFactorToken);
  const pending = await countChallengeTry(ctx.db, tokenHash);
  if (!pending) throw signInError();
  const { userId } = pending;
  await countAttempt(ctx.db, toAttemptKey(userId), codeLimit);
  const result = await ctx.db.transaction(async (tx) => {
    const user = await findUser(tx, userId);
    const right = user && (await useCode(ctx, tx, userId, code));
    if (!right || !(await store.endChallenge(tx, userId, tokenHash))) throw signInError();
    return { token: await startSession(ctx, tx, userId, "password"), user };
  });
  await resetAttempts(ctx.db, toAttemptKey(userId));
  return result;
}
