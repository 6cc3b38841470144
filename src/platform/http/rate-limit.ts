import type { Db } from "../db/index.ts";
import { rateLimited } from "../errors.ts";
import { hashSecret } from "../secrets.ts";
import * as store from "./store.ts";

/**
 * Counts an attempt in the database, so that every replica counts the same ones, and refuses past the limit. The key is
 * stored hashed: it may hold an address of a person. Returns the number of attempts so far.
 */
export async function countAttempt(
  db: Db,
  key: string,
  { attempts, perSeconds }: { attempts: number; perSeconds: number },
): Promise<number> {
  const counted = await store.countAttempt(db, hashSecret(key), perSeconds);
  if (counted && counted.count > attempts) throw rateLimited(Math.max(1, counted.retryAfter));
  return counted?.count ?? 0;
}

/** Call it after a success: the earlier attempts were mistakes of a person, not guesses. */
export const resetAttempts = (db: Db, key: string) => store.removeAttempts(db, hashSecret(key));
