import { type Db, sql } from "../db/index.ts";
import { rateLimited } from "../errors.ts";
import { hashSecret } from "../secrets.ts";

/**
 * Counts an attempt in the database, so that every replica counts the same ones, and refuses past the
 * limit. The key is stored hashed: it may hold an address of a person.
 */
export async function countAttempt(
  db: Db,
  key: string,
  { attempts, perSeconds }: { attempts: number; perSeconds: number },
): Promise<void> {
  const row = await db.row<{ count: number; retryAfter: number }>(sql`
    insert into rate_limits as r (key, count, resets_at)
    values (${hashSecret(key)}, 1, now() + make_interval(secs => ${perSeconds}))
    on conflict (key) do update set
      count = case when r.resets_at <= now() then 1 else r.count + 1 end,
      resets_at = case when r.resets_at <= now() then excluded.resets_at else r.resets_at end
    returning count, ceil(extract(epoch from resets_at - now()))::int as "retryAfter"`);
  if (row && row.count > attempts) throw rateLimited(Math.max(1, row.retryAfter));
}

/** Success: what came before was a person mistyping, not somebody guessing. */
export const forgetAttempt = (db: Db, key: string) =>
  db.run(sql`delete from rate_limits where key = ${hashSecret(key)}`);

/** Rows whose window is over count for nothing. */
export const forgetAttempts = (db: Db) => db.run(sql`delete from rate_limits where resets_at < now()`);
