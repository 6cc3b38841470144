import type { OrgId } from "../../../platform/context.ts";
import { type Db, leaseConditions, sql } from "../../../platform/db/index.ts";

export interface PendingRevocation {
  id: string;
  orgId: OrgId;
  credentialsId: string;
  accessToken: string | null;
  refreshToken: string | null;
  attempts: number;
  /** How many processes died before they recorded an outcome. */
  deaths: number;
}

/**
 * Takes tokens that must be revoked, in turn by organization and without organizations in `busy`. If the process dies,
 * they become due again after the pause.
 */
export const claimPendingAcrossOrganizations = (
  db: Db,
  busy: readonly string[],
  perOrganization: number,
  limit: number,
  pauses: readonly number[],
) => {
  const isPending = sql`revoke_state = 'pending' and revoke_due_at <= now()
    and (refresh_state <> 'refreshing' or ${leaseConditions().isExpired})`;
  return db.rows<PendingRevocation>(sql`
    update oauth_tokens t set revoke_attempts = revoke_attempts + 1, revoke_running = true,
      revoke_deaths = revoke_deaths + revoke_running::int,
      revoke_due_at = now() + make_interval(mins => (${pauses}::int[])[least(revoke_attempts + 1, ${pauses.length}::int)])
    where t.id in (
      select id from oauth_tokens where ${isPending} and id in (
        select id from (
          select id, revoke_due_at, row_number() over (partition by org_id order by revoke_due_at) as turn
          from oauth_tokens where ${isPending} and org_id <> all(${busy}::text[])) p
        where turn <= ${perOrganization}::int order by turn, revoke_due_at limit ${limit})
      for update skip locked)
    returning t.id, t.org_id as "orgId", t.credentials_id as "credentialsId", t.access_token as "accessToken",
      t.refresh_token as "refreshToken", t.revoke_attempts as attempts, t.revoke_deaths as deaths`);
};

/** Records the end of a revocation and erases the tokens. */
export const storeRevocation = (
  db: Db,
  orgId: OrgId,
  id: string,
  state: "revoked" | "not_offered" | "failed",
  error: string | null,
) =>
  db.run(sql`
    update oauth_tokens set revoke_state = ${state}, revoke_error = ${error}, revoked_at = now(), access_token = null,
      refresh_token = null
    where org_id = ${orgId} and id = ${id} and revoke_state = 'pending'`);

export const storeRevocationError = (db: Db, orgId: OrgId, id: string, error: string) =>
  db.run(sql`update oauth_tokens set revoke_error = ${error}, revoke_running = false
    where org_id = ${orgId} and id = ${id} and revoke_state = 'pending'`);
