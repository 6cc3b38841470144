import type { UserId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

interface TwoFactor {
  /** Sealed. */
  secret: string;
  confirmedAt: number | null;
}

export const find = (db: Db, userId: UserId) =>
  db.row<TwoFactor>(
    sql`select secret, confirmed_at as "confirmedAt" from two_factors where user_id = ${userId}`,
  );

/** Locks the row, so that the secret does not change while a code is checked. */
export const lock = (tx: Db, userId: UserId) =>
  tx.row<TwoFactor>(sql`
    select secret, confirmed_at as "confirmedAt" from two_factors where user_id = ${userId} for no key update`);

export const hasAuthenticator = async (db: Db, userId: UserId): Promise<boolean> =>
  (await db.row(sql`select 1 from two_factors where user_id = ${userId} and confirmed_at is not null`)) !==
  undefined;

/** An authenticator app or a passkey: either asks for a second step after the password. */
export const hasTwoFactor = async (db: Db, userId: UserId): Promise<boolean> =>
  (await db.row(sql`
    select 1 where exists (select from two_factors where user_id = ${userId} and confirmed_at is not null)
      or exists (select from passkeys where user_id = ${userId})`)) !== undefined;

/** Changes of one person's passkeys and backup codes happen one after the other, so that they can be counted. */
export const lockPerson = (tx: Db, userId: UserId) =>
  tx.run(sql`select 1 from users where id = ${userId} for no key update`);

export const readPasskeys = async (db: Db, userId: UserId) =>
  (await db.row<{ count: number; firstAt: number | null }>(sql`
    select count(*)::int as count, min(created_at) as "firstAt" from passkeys where user_id = ${userId}`))!;

/** Returns false when the second factor is already on. */
export const begin = async (db: Db, userId: UserId, secret: string): Promise<boolean> =>
  (await db.run(sql`
    insert into two_factors as t (user_id, secret) values (${userId}, ${secret})
    on conflict (user_id) do update set secret = excluded.secret, last_step = 0, created_at = now()
      where t.confirmed_at is null`)) > 0;

/** Returns false when this code or a newer one was used before, so that a code works once. */
export const useStep = async (db: Db, userId: UserId, step: number): Promise<boolean> =>
  (await db.run(
    sql`update two_factors set last_step = ${step} where user_id = ${userId} and last_step < ${step}`,
  )) > 0;

export const confirm = (db: Db, userId: UserId) =>
  db.run(sql`update two_factors set confirmed_at = now() where user_id = ${userId}`);

export const remove = (db: Db, userId: UserId) =>
  db.run(sql`delete from two_factors where user_id = ${userId}`);

export const replaceBackupCodes = async (db: Db, userId: UserId, hashes: readonly string[]) => {
  await removeBackupCodes(db, userId);
  await db.run(sql`insert into backup_codes (user_id, code_hash)
    select ${userId}, hash from unnest(${hashes}::text[]) as hash`);
};

export const removeBackupCodes = (db: Db, userId: UserId) =>
  db.run(sql`delete from backup_codes where user_id = ${userId}`);

export const useBackupCode = async (db: Db, userId: UserId, hash: string): Promise<boolean> =>
  (await db.run(sql`delete from backup_codes where user_id = ${userId} and code_hash = ${hash}`)) > 0;

export const countBackupCodes = async (db: Db, userId: UserId): Promise<number> =>
  (await db.row<{ count: number }>(
    sql`select count(*)::int as count from backup_codes where user_id = ${userId}`,
  ))!.count;

export const insertChallenge = (db: Db, userId: UserId, tokenHash: string, minutes: number) =>
  db.row<{ expiresAt: number }>(sql`
    insert into sign_in_challenges (token_hash, user_id, expires_at)
    values (${tokenHash}, ${userId}, now() + make_interval(mins => ${minutes}))
    returning expires_at as "expiresAt"`);

/** Counts a try of the second step. Undefined after too many tries, or when the challenge has expired. */
export const countChallengeTryByToken = (db: Db, tokenHash: string, tries: number) =>
  db.row<{ userId: UserId }>(sql`
    update sign_in_challenges set attempts = attempts + 1
    where token_hash = ${tokenHash} and expires_at > now() and attempts < ${tries}
    returning user_id as "userId"`);

/** Finds who can continue a sign-in, without counting a try. */
export const findChallengeByToken = (db: Db, tokenHash: string) =>
  db.row<{ userId: UserId }>(sql`
    select user_id as "userId" from sign_in_challenges where token_hash = ${tokenHash} and expires_at > now()`);

/** Returns false when it has ended before, so that two right codes at the same moment sign in once. */
export const endChallenge = async (db: Db, userId: UserId, tokenHash: string): Promise<boolean> =>
  (await db.run(
    sql`delete from sign_in_challenges where user_id = ${userId} and token_hash = ${tokenHash}`,
  )) > 0;

export const removeChallenges = (db: Db, userId: UserId) =>
  db.run(sql`delete from sign_in_challenges where user_id = ${userId}`);

export const removeExpiredChallengesAcrossOrganizations = (db: Db) =>
  db.run(sql`delete from sign_in_challenges where expires_at < now()`);
