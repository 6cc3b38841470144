import type { Ctx, PersonCtx, UserId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, invalidField, unauthorized } from "../../../platform/errors.ts";
import { countAttempt, resetAttempts } from "../../../platform/http/index.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import { record, recordOfUser } from "../../audit/index.ts";
import * as mails from "../mails.ts";
import { startSession } from "../sessions/index.ts";
import { findUser } from "../store.ts";
import { requireVerifiedAddress } from "../verified.ts";
import * as store from "./store.ts";
import * as totp from "./totp.ts";

const placeOf = (userId: UserId) => ({ table: "two_factors", row: userId, column: "secret" });
export const sealedSecrets = { table: "two_factors", id: "user_id", column: "secret" };

const challengePrefix = "sbc_";
const challengeMinutes = 10;
const challengeTries = 5;
/** Of a person, from everywhere: a code has a million values, and three of them are good at any moment. */
const wrongCodes = { attempts: 20, perSeconds: 3600 };
const attemptsOf = (userId: UserId) => `two-factor ${userId}`;

const isAlreadyOn = () => conflict("two_factor_on", "The second factor is on. Switch it off first.");
const isOff = () => conflict("two_factor_off", "The second factor is not switched on.");

export async function begin(ctx: PersonCtx) {
  const { db, keyring, userId } = ctx;
  await requireVerifiedAddress(db, userId, "A second factor");
  const secret = totp.newSecret();
  if (!(await store.begin(db, userId, keyring.seal(secret, placeOf(userId))))) throw isAlreadyOn();
  const { email } = (await findUser(db, userId))!;
  const issuer = `Signalbox (${new URL(ctx.config.publicUrl).host})`;
  return { secret, uri: totp.uriOf(secret, email, issuer) };
}

export async function confirm(ctx: PersonCtx, { code }: { code: string }) {
  const { userId } = ctx;
  await requireVerifiedAddress(ctx.db, userId, "A second factor");
  const known = await store.find(ctx.db, userId);
  if (known?.confirmedAt) throw isAlreadyOn();
  if (!known) throw conflict("two_factor_not_begun", "Begin with POST /v1/me/two-factor.");
  return withCode(ctx, code, async (tx) => {
    await store.confirm(tx, userId);
    await note(ctx, tx, "user.two_factor_on", "on");
    return newBackupCodes(tx, userId);
  });
}

export async function renewBackupCodes(ctx: PersonCtx, { code }: { code: string }) {
  if (!(await store.isOn(ctx.db, ctx.userId))) throw isOff();
  return withCode(ctx, code, async (tx) => {
    await record(ctx, tx, { action: "user.backup_codes_renewed", target: targetOf(ctx.userId) }, null);
    return newBackupCodes(tx, ctx.userId);
  });
}

export async function read({ db, userId }: PersonCtx) {
  const known = await store.find(db, userId);
  const enabledAt = known?.confirmedAt ?? null;
  const backupCodesLeft = enabledAt === null ? 0 : await store.countBackupCodes(db, userId);
  return { twoFactor: { enabled: enabledAt !== null, enabledAt, backupCodesLeft } };
}

export async function remove(ctx: PersonCtx, { code }: { code: string }): Promise<void> {
  if (!(await store.isOn(ctx.db, ctx.userId))) throw isOff();
  await withCode(ctx, code, async (tx) => {
    await store.remove(tx, ctx.userId);
    await store.removeChallenges(tx, ctx.userId);
    await note(ctx, tx, "user.two_factor_off", "off");
  });
}

/** Told by mail as well: whoever did not do it themselves should hear of it. */
async function note(ctx: PersonCtx, tx: Db, action: `user.${string}`, state: "on" | "off"): Promise<void> {
  await record(ctx, tx, { action, target: targetOf(ctx.userId) }, null);
  const user = await findUser(tx, ctx.userId);
  if (user) await ctx.mail.send(tx, mails.twoFactorChanged(ctx.config.publicUrl, user, state));
}

const targetOf = (id: string) => ({ type: "user", id });

async function newBackupCodes(tx: Db, userId: UserId) {
  // 80 bits each: a fast hash is enough to keep them.
  const backupCodes = Array.from({ length: 10 }, () =>
    totp
      .newSecret()
      .slice(0, 16)
      .toLowerCase()
      .replace(/(.{4})(?=.)/g, "$1-"),
  );
  await store.replaceBackupCodes(tx, userId, backupCodes.map(hashOfCode));
  return { backupCodes };
}

const hashOfCode = (code: string) => hashSecret(code.toLowerCase().replace(/[^a-z2-7]/g, ""));

/** Does the work if the code is right; the code and the work are used up together. */
async function withCode<T>(ctx: PersonCtx, code: string, work: (tx: Db) => Promise<T>): Promise<T> {
  await countAttempt(ctx.db, attemptsOf(ctx.userId), wrongCodes);
  const result = await ctx.db.transaction(async (tx) => {
    if (!(await takeCode(ctx, tx, ctx.userId, code)))
      throw invalidField(["code"], "This code is not right, or was used before. Wait for the next one.");
    return work(tx);
  });
  await resetAttempts(ctx.db, attemptsOf(ctx.userId));
  return result;
}

/** For routes that ask for a code beside what they do. */
export const checkCode = (ctx: PersonCtx, code: string) => withCode(ctx, code, async () => {});

async function takeCode(ctx: Ctx, tx: Db, userId: UserId, code: string): Promise<boolean> {
  const { keyring } = ctx;
  if (!/^\d{6}$/.test(code)) return takeBackupCode(ctx, tx, userId, code);
  const known = await store.lock(tx, userId);
  if (!known) return false;
  const step = totp.stepOf(keyring.open(known.secret, placeOf(userId)), code, Date.now());
  return step !== undefined && store.takeStep(tx, userId, step);
}

/** Writes an audit entry and sends a mail, so that the owner notices when somebody else uses a code. */
async function takeBackupCode(ctx: Ctx, tx: Db, userId: UserId, code: string): Promise<boolean> {
  if (!(await store.takeBackupCode(tx, userId, hashOfCode(code)))) return false;
  const left = await store.countBackupCodes(tx, userId);
  const user = (await findUser(tx, userId))!;
  await recordOfUser(ctx, tx, user, { action: "user.backup_code_used", after: { left } });
  await ctx.mail.send(tx, mails.backupCodeUsed(ctx.config.publicUrl, user, left));
  return true;
}

export interface Challenge {
  twoFactorToken: string;
  expiresAt: number;
}

/** The password was right; the session comes with the code. */
export async function challenge(tx: Db, userId: UserId): Promise<Challenge> {
  const twoFactorToken = newToken(challengePrefix);
  const added = await store.addChallenge(tx, userId, hashSecret(twoFactorToken), challengeMinutes);
  return { twoFactorToken, expiresAt: added!.expiresAt };
}

const signInRefused = () =>
  unauthorized(
    "invalid_credentials",
    "The code is wrong or was used before, or the first step has expired. Use the next code, or sign in again.",
  );

export async function signIn(ctx: Ctx, { twoFactorToken, code }: { twoFactorToken: string; code: string }) {
  const tokenHash = hashSecret(twoFactorToken);
  const pending = await store.tryChallengeByToken(ctx.db, tokenHash, challengeTries);
  if (!pending) throw signInRefused();
  const { userId } = pending;
  await countAttempt(ctx.db, attemptsOf(userId), wrongCodes);
  const result = await ctx.db.transaction(async (tx) => {
    const user = await findUser(tx, userId);
    const right = user && (await takeCode(ctx, tx, userId, code));
    if (!right || !(await store.endChallenge(tx, userId, tokenHash))) throw signInRefused();
    return { token: await startSession(ctx, tx, userId, "password"), user };
  });
  await resetAttempts(ctx.db, attemptsOf(userId));
  return result;
}
