import { type Db, sql } from "../db/index.ts";

/** Counts an attempt. Returns the number of attempts in this window, and the seconds until it ends. */
export const countAttempt = (db: Db, keyHash: string, perSeconds: number) =>
  db.row<{ count: number; retryAfter: number }>(sql`
    insert into rate_limits as r (key, count, resets_at)
    values (${keyHash}, 1, now() + make_interval(secs => ${perSeconds}))
    on conflict (key) do update set
      count = case when r.resets_at <= now() then 1 else r.count + 1 end,
      resets_at = case when r.resets_at <= now() then excluded.resets_at else r.resets_at end
    returning count, ceil(extract(epoch from resets_at - now()))::int as "retryAfter"`);

export const removeAttempts = (db: Db, keyHash: string) =>
  db.run(sql`delete from rate_limits where key = ${keyHash}`);

export const removeExpiredAttempts = (db: Db) => db.run(sql`delete from rate_limits where resets_at < now()`);

/** Returns 0 when the key was used within a day. Waits for a request that is using the key now. */
export const claimKey = (db: Db, scope: string, key: string, requestHash: string) =>
  db.run(sql`
    insert into idempotency_keys (scope, key, request_hash) values (${scope}, ${key}, ${requestHash})
    on conflict (scope, key) do update set request_hash = excluded.request_hash, reply = null, created_at = now()
    where idempotency_keys.created_at < now() - interval '24 hours'`);

export const findReply = (db: Db, scope: string, key: string) =>
  db.row<{ requestHash: string; reply: string }>(sql`
    select request_hash as "requestHash", reply from idempotency_keys where scope = ${scope} and key = ${key}`);

export const saveReply = (db: Db, scope: string, key: string, sealed: string) =>
  db.run(sql`update idempotency_keys set reply = ${sealed} where scope = ${scope} and key = ${key}`);

const today = sql`(now() at time zone 'UTC')::date`;

export const findUsage = (db: Db, owners: readonly string[]) =>
  db.rows<{ owner: string; keys: number; bytes: number }>(sql`
    select owner, keys, bytes from idempotency_usage where day = ${today} and owner = any(${owners}::text[])`);

/** Adds one key and the bytes of its reply to the usage of each owner. */
export const addUsage = (db: Db, owners: readonly string[], bytes: number) =>
  db.run(sql`
    insert into idempotency_usage as u (owner, day, keys, bytes)
    select owner, ${today}, 1, ${bytes}::bigint from unnest(${owners}::text[]) owner order by owner
    on conflict (owner, day) do update set keys = u.keys + 1, bytes = u.bytes + excluded.bytes`);

export const removeOldUsage = (db: Db) => db.run(sql`delete from idempotency_usage where day < ${today} - 1`);

export const removeOldReplies = (db: Db) =>
  db.run(sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`);
