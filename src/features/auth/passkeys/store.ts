import type { UserId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import type { Passkey } from "./contract.ts";

export type PasskeyId = Id<"psk">;

/** What is needed to check a signature. */
export interface StoredKey {
  id: PasskeyId;
  userId: UserId;
  credentialId: string;
  publicKey: string;
  counter: number;
  transports: string[];
}

const columns = sql`p.id, p.name, p.synced, p.created_at as "createdAt", p.last_used_at as "lastUsedAt"`;
const keyColumns = sql`p.id, p.user_id as "userId", p.credential_id as "credentialId", p.public_key as "publicKey",
  p.counter, p.transports`;

export const list = (db: Db, userId: UserId, after: string, limit: number) =>
  db.rows<Passkey>(sql`
    select ${columns} from passkeys p where p.user_id = ${userId} and p.id < ${after}
    order by p.id desc limit ${limit}`);

export const listKeys = (db: Db, userId: UserId) =>
  db.rows<StoredKey>(sql`select ${keyColumns} from passkeys p where p.user_id = ${userId} order by p.id`);

/** The credential id is unique on the whole instance, and finds its person. */
export const findKeyAcrossOrganizations = (db: Db, credentialId: string) =>
  db.row<StoredKey>(sql`select ${keyColumns} from passkeys p where p.credential_id = ${credentialId}`);

/** Undefined when the credential id is known already. */
export const insert = (
  db: Db,
  userId: UserId,
  key: Omit<StoredKey, "userId"> & { name: string; synced: boolean },
) =>
  db.row<Passkey>(sql`
    insert into passkeys as p (id, user_id, credential_id, public_key, counter, transports, synced, name)
    values (${key.id}, ${userId}, ${key.credentialId}, ${key.publicKey}, ${key.counter}, ${key.transports}::text[],
      ${key.synced}, ${key.name})
    on conflict (credential_id) do nothing returning ${columns}`);

export const rename = (db: Db, userId: UserId, id: PasskeyId, name: string) =>
  db.row<Passkey>(sql`
    update passkeys p set name = ${name} where p.user_id = ${userId} and p.id = ${id} returning ${columns}`);

/**
 * Records a use. Returns false when the passkey is gone, or when its counter did not grow: then the signature was made
 * by a copy of the key.
 */
export const recordUse = async (db: Db, userId: UserId, id: PasskeyId, counter: number): Promise<boolean> =>
  (await db.run(sql`
    update passkeys set counter = ${counter}, last_used_at = now()
    where user_id = ${userId} and id = ${id} and (counter < ${counter} or (counter = 0 and ${counter} = 0))`)) >
  0;

export const remove = (db: Db, userId: UserId, id: PasskeyId) =>
  db.row<Passkey>(
    sql`delete from passkeys p where p.user_id = ${userId} and p.id = ${id} returning ${columns}`,
  );

export const removeAll = (db: Db, userId: UserId) =>
  db.run(sql`delete from passkeys where user_id = ${userId}`);

export const insertChallengeAcrossOrganizations = (
  db: Db,
  challengeHash: string,
  { purpose, userId, minutes }: { purpose: "register" | "sign_in"; userId: UserId | null; minutes: number },
) =>
  db.run(sql`
    insert into passkey_challenges (challenge_hash, purpose, user_id, expires_at)
    values (${challengeHash}, ${purpose}, ${userId}, now() + make_interval(mins => ${minutes}))`);

/** Only one of two answers to a challenge gets it. */
export const useChallengeByToken = (db: Db, challengeHash: string, purpose: "register" | "sign_in") =>
  db.row<{ userId: UserId | null }>(sql`
    delete from passkey_challenges
    where challenge_hash = ${challengeHash} and purpose = ${purpose} and expires_at > now()
    returning user_id as "userId"`);

export const removeExpiredChallengesAcrossOrganizations = (db: Db) =>
  db.run(sql`delete from passkey_challenges where expires_at < now()`);
