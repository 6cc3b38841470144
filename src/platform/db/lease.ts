import { emptySql, raw, type Sql, sql } from "./sql.ts";

/** What can be asked about a row with a lease. */
export interface LeaseConditions {
  /** Every write of a holder repeats it, so a late holder changes nothing. */
  isHeldBy(holder: string): Sql;
  isLive: Sql;
  isExpired: Sql;
}

/**
 * A row with the columns `holder` and `lease_expires_at` belongs to its holder until the lease expires, by the clock of
 * the database. An expired lease means that the holder died: choose `seconds` longer than a holder can be silent.
 */
export interface Lease extends LeaseConditions {
  /** Assignments for `update … set`. */
  take(holder: string): Sql;
  renew: Sql;
  release: Sql;
}

/** For statements that only read a lease. `alias` is written before the columns, as sql`r.`. */
export const leaseConditions = (alias: Sql = emptySql): LeaseConditions => ({
  isHeldBy: (holder) => sql`${alias}holder = ${holder}`,
  isLive: sql`${alias}lease_expires_at > now()`,
  isExpired: sql`${alias}lease_expires_at <= now()`,
});

/** `holder` must differ for each take, or `attempt` be checked too. */
export function defineLease(seconds: number, alias?: Sql): Lease {
  const expiry = expireIn(seconds);
  const conditions = leaseConditions(alias);
  return {
    take: (holder) => sql`holder = ${holder}, lease_expires_at = ${expiry}`,
    renew: sql`lease_expires_at = ${expiry}`,
    release: sql`holder = null, lease_expires_at = null`,
    isHeldBy: (holder) => conditions.isHeldBy(holder),
    isLive: conditions.isLive,
    isExpired: conditions.isExpired,
  };
}

/** The time at which a lease that is taken now expires. The number is part of the text. */
export const expireIn = (seconds: number): Sql => sql`now() + interval '${raw(String(seconds))} seconds'`;
