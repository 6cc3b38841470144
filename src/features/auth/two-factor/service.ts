import type { Ctx, PersonCtx, UserId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, invalidField, unauthorized } from "../../../platform/errors.ts";
import { countAttempt, resetAttempts } from "../../../platform/http/index.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import { record, recordByUser } from "../../audit/index.ts";
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

const alreadyOnError = () => conflict("two_factor_on", "The second factor is on. Switch it off first.");
const notOnError = () => conflict("two_factor_off", "The second factor is not switched on.");

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
  return runWithCode(ctx, code, async (tx) => {
    await store.confirm(tx, userId);
    await recordAndMail(ctx, tx, "user.two_factor_on", "on");
    return createBackupCodes(tx, userId);
  });
}

export async function renewBackupCodes(ctx: PersonCtx, { code }: { code: string }) {
  if (!(await store.hasTwoFactor(ctx.db, ctx.userId))) throw notOnError();
  return runWithCode(ctx, code, async (tx) => {
    await record(ctx, tx, { action: "user.backup_codes_renewed", target: toTarget(ctx.userId) }, null);
    return createBackupCodes(tx, ctx.userId);
  });
}

export async function read({ db, userId }: PersonCtx) {
  const known = await store.find(db, userId);
  const enabledAt = known?.confirmedAt ?? null;
  const backupCodesLeft = enabledAt === null ? 0 : await store.countBackupCodes(db, userId);
  return { twoFactor: { enabled: enabledAt !== null, enabledAt, backupCodesLeft } };
}

export async function remove(ctx: PersonCtx, { code }: { code: string }): Promise<void> {
  if (!(await store.hasTwoFactor(ctx.db, ctx.userId))) throw notOnError();
  await runWithCode(ctx, code, async (tx) => {
    await store.remove(tx, ctx.userId);
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

const hashBackupCode = (code: string) => hashSecret(code.toLowerCase().replace(/[^a-z2-7]/g, ""));

/** Runs `work` if the code is right, in the transaction that uses up the code. */
async function runWithCode<T>(ctx: PersonCtx, code: string, work: (tx: Db) => Promise<T>): Promise<T> {
  await countAttempt(ctx.db, toAttemptKey(ctx.userId), codeLimit);
  const result = await ctx.db.transaction(async (tx) => {
    if (!(await useCode(ctx, tx, ctx.userId, code)))
      throw invalidField(["code"], "This code is not right, or was used before. Wait for the next one.");
    return work(tx);
  });
  await resetAttempts(ctx.db, toAttemptKey(ctx.userId));
  return result;
}

/** For callers that only need the check. */
export const checkCode = (ctx: PersonCtx, code: string) => runWithCode(ctx, code, async () => {});

async function useCode(ctx: Ctx, tx: Db, userId: UserId, code: string): Promise<boolean> {
  const { keyring } = ctx;
  if (!/^\d{6}$/.test(code)) return useBackupCode(ctx, tx, userId, code);
  const known = await store.lock(tx, userId);
  if (!known) return false;
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

const signInError = () =>
  unauthorized(
    "invalid_credentials",
    "The code is wrong or was used before, or the first step has expired. Use the next code, or sign in again.",
  );

export async function signIn(ctx: Ctx, { twoFactorToken, code }: { twoFactorToken: string; code: string }) {
  const tokenHash = hashSecret(twoFactorToken);
  const pending = await store.countChallengeTryByToken(ctx.db, tokenHash, maxChallengeTries);
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
