import type { OrgId, UserId } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/index.ts";
import type { User } from "./contract.ts";

/** True once anybody has an account on this instance. */
export const hasUsers = async (db: Db): Promise<boolean> =>
  (await db.row(sql`select 1 from users where not provisional limit 1`)) !== undefined;

const columns = sql`id, email, email_verified as "emailVerified", name, created_at as "createdAt"`;

export const findUser = (db: Db, userId: UserId) =>
  db.row<User>(sql`select ${columns} from users where id = ${userId}`);

export const findUserByEmail = (db: Db, email: string) =>
  db.row<User>(sql`select ${columns} from users where email = ${email.toLowerCase()}`);

/** The person of a session. */
export const findUserByToken = (db: Db, tokenHash: string) =>
  db.row<User>(sql`
    select ${columns} from users
    where id = (select user_id from sessions where token_hash = ${tokenHash} and expires_at > now())`);

/** The first account that a person made on this instance. Undefined after it was deleted. */
export const findFirstAccount = (db: Db) =>
  db.row<{ id: UserId; emailVerified: boolean }>(sql`
    select u.id, u.email_verified as "emailVerified" from first_account f join users u on u.id = f.user_id`);

export const renameUser = (db: Db, userId: UserId, name: string) =>
  db.row<User>(
    sql`update users set name = ${name}, updated_at = now() where id = ${userId} returning ${columns}`,
  );

/** Inserts the user of an unclaimed workspace. It has no password, so nobody can sign in as this user. */
export const insertProvisionalUser = (db: Db, userId: UserId, email: string, name: string) =>
  db.run(sql`insert into users (id, email, name, provisional) values (${userId}, ${email}, ${name}, true)`);

/**
 * Inserts the account of somebody whom an organization's provider vouches for. It has no password. The organization has
 * proved that the domain of the address is its own, so the address is verified. Returns false when somebody else has
 * inserted an account with this address since the caller looked for one; the caller then looks again.
 */
export const insertUserOfOrganization = async (
  db: Db,
  orgId: OrgId,
  userId: UserId,
  email: string,
  name: string,
): Promise<boolean> =>
  (await db.run(sql`
    insert into users (id, email, name, email_verified, created_by_org_id)
    values (${userId}, ${email}, ${name}, true, ${orgId}) on conflict (email) do nothing`)) > 0;

/** What shows whether an account belongs to one organization alone: who made it, and other ways to use it. */
export const findAccountTies = (db: Db, orgId: OrgId, userId: UserId) =>
  db.row<{ isMadeHere: boolean; hasOtherWaysIn: boolean; isElsewhere: boolean }>(sql`
    select coalesce(u.created_by_org_id = ${orgId}, false) as "isMadeHere",
      exists (select from accounts a where a.user_id = u.id and a.password is not null)
        or exists (select from two_factors f where f.user_id = u.id and f.confirmed_at is not null)
        or exists (select from passkeys p where p.user_id = u.id) as "hasOtherWaysIn",
      exists (select from members m where m.user_id = u.id and m.org_id <> ${orgId}) as "isElsewhere"
    from users u where u.id = ${userId}`);

/** Marks the address as verified. Returns 0 when it already was. */
export const confirmAddress = (db: Db, userId: UserId) =>
  db.run(
    sql`update users set email_verified = true, updated_at = now() where id = ${userId} and not email_verified`,
  );

export const findPasswordHash = async (db: Db, userId: UserId): Promise<string | undefined> =>
  (
    await db.row<{ password: string | null }>(
      sql`select password from accounts where user_id = ${userId} and provider_id = 'credential'`,
    )
  )?.password ?? undefined;

/**
 * Keeps the password as it is until the transaction ends. Returns false when it has changed. A change that is in progress
 * is waited for.
 */
export const lockPasswordHash = async (tx: Db, userId: UserId, hash: string): Promise<boolean> =>
  (await tx.row(sql`
    select 1 from accounts
    where user_id = ${userId} and provider_id = 'credential' and password = ${hash} for share`)) !==
  undefined;

/** Replaces a hash by one of the same password. Does nothing when the password has changed in the meantime. */
export const replacePasswordHash = (db: Db, userId: UserId, old: string, hash: string) =>
  db.run(sql`
    update accounts set password = ${hash}, updated_at = now()
    where user_id = ${userId} and provider_id = 'credential' and password = ${old}`);

/** Sets the first password of an account, or another one. */
export const setPassword = (db: Db, userId: UserId, accountId: string, hash: string) =>
  db.run(sql`
    insert into accounts (id, user_id, account_id, provider_id, password)
    values (${accountId}, ${userId}, ${userId}, 'credential', ${hash})
    on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = now()`);

/** Removes the password. Nobody can sign in with one until it is reset. */
export const removePassword = (db: Db, userId: UserId) =>
  db.run(sql`update accounts set password = null, updated_at = now() where user_id = ${userId}`);

/** Also deletes sessions, passwords, memberships and everything that belongs to them. */
export const removeUser = async (db: Db, userId: UserId) => {
  await removeLinks(db, userId);
  return db.run(sql`delete from users where id = ${userId}`);
};

export async function requireEmail(db: Db, userId: UserId): Promise<string> {
  const row = await db.row<{ email: string }>(sql`select email from users where id = ${userId}`);
  if (!row) throw new Error("A session without its user.");
  return row.email;
}

/** The organizations of a person, in the order in which organizations are locked. */
export const listOrganizationIds = async (db: Db, userId: UserId): Promise<OrgId[]> =>
  (
    await db.rows<{ orgId: OrgId }>(
      sql`select org_id as "orgId" from members where user_id = ${userId} order by org_id`,
    )
  ).map(({ orgId }) => orgId);

/** The account that a reset link belongs to, and whether the link has expired. */
export const findResetLinkByToken = (db: Db, identifier: string) =>
  db.row<{ email: string; isExpired: boolean }>(sql`
    select u.email, v.expires_at <= now() as "isExpired" from verifications v join users u on u.id = v.value
    where v.identifier = ${identifier} limit 1`);

export const insertResetLink = (db: Db, userId: UserId, id: string, identifier: string, minutes: number) =>
  db.run(sql`
    insert into verifications (id, identifier, value, expires_at)
    values (${id}, ${identifier}, ${userId}, now() + make_interval(mins => ${minutes}))`);

/** Uses up a reset link. Only one of two requests at the same moment gets the account. */
export const useResetLinkByToken = (db: Db, identifier: string) =>
  db.row<{ userId: UserId }>(sql`
    delete from verifications where identifier = ${identifier} and expires_at > now() returning value as "userId"`);

/** Removes the mailed links that a person did not use. */
export const removeLinks = (db: Db, userId: UserId) =>
  db.run(sql`delete from verifications where value = ${userId}`);

export const setActiveOrganization = (db: Db, userId: UserId, id: string, orgId: OrgId | null) =>
  db.run(sql`update sessions set active_organization_id = ${orgId}, updated_at = now()
    where user_id = ${userId} and id = ${id}`);

export const removeExpiredSessionsAndLinks = async (db: Db) => {
  await db.run(sql`delete from sessions where expires_at < now()`);
  await db.run(sql`delete from verifications where expires_at < now()`);
};
