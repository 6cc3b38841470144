import { emptySql, raw, type Sql, sql } from "./sql.ts";

/**
 * A row with the columns `holder` and `lease_expires_at` belongs to its holder until the lease expires, by the clock of
 * the database. An expired lease means that the holder died: choose `seconds` longer than a holder can be silent.
 */
export interface Lease {
  /** Assignments for `update … set`. */
  take(holder: string): Sql;
  renew: Sql;
  release: Sql;
  /** Conditions. Every write of a holder repeats `isHeldBy`, so a late holder changes nothing. */
  isHeldBy(holder: string): Sql;
  isLive: Sql;
  isExpired: Sql;
}

/**
 * `alias` is written before the columns in conditions, as sql`r.`. `holder` must differ for each take, or `attempt` be
 * checked too.
 */
export function defineLease(seconds: number, alias: Sql = emptySql): Lease {
  const expiry = expireIn(seconds);
  return {
    take: (holder) => sql`holder = ${holder}, lease_expires_at = ${expiry}`,
    renew: sql`lease_expires_at = ${expiry}`,
    release: sql`holder = null, lease_expires_at = null`,
    isHeldBy: (holder) => sql`${alias}holder = ${holder}`,
    isLive: sql`${alias}lease_expires_at > now()`,
    isExpired: sql`${alias}lease_expires_at <= now()`,
  };
}

/** The time at which a lease that is taken now expires. The number is part of the text. */
export const expireIn = (seconds: number): Sql => sql`now() + interval '${raw(String(seconds))} seconds'`;
