import type { UserId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { User } from "../contract.ts";

export const insertUser = (db: Db, userId: UserId, email: string, name: string) =>
  db.row<User>(sql`
    insert into users (id, email, name) values (${userId}, ${email}, ${name})
    returning id, email, email_verified as "emailVerified", name, created_at as "createdAt"`);

/** One sign-up at a time while there are no accounts, so that only one of them is the first. */
export const lockFirstAccount = (tx: Db) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended('first account', 0))`);

/** Whether this is the token of an invitation for this address that can still be accepted. */
export const isInvitedByToken = async (db: Db, tokenHash: string, email: string): Promise<boolean> =>
  (await db.row(sql`
    select 1 from invitations
    where (token_hash = ${tokenHash} or mail_hash = ${tokenHash}) and email = ${email.toLowerCase()}
      and accepted_at is null and cancelled_at is null and expires_at > now() and invited_by is not null`)) !==
  undefined;
