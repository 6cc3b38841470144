import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import { isNotSuspended } from "../../suspension/index.ts";
import { type TargetRow, targetColumns } from "../source/index.ts";

export type StaleConnector = TargetRow & { syncedCommit: string | null };

/**
 * Takes the connectors whose last check is oldest, in turn by organization and without organizations in `busy`.
 * The time of the check is set first, so that only one process checks each connector.
 */
export const claimStaleAcrossOrganizations = (
  db: Db,
  seconds: number,
  busy: readonly string[],
  perOrganization: number,
  limit: number,
) => {
  const isStale = sql`status = 'active'
    and (checked_at is null or checked_at < now() - make_interval(secs => ${seconds}::float8))`;
  return db.rows<StaleConnector>(sql`
    update connectors c set checked_at = now()
    where c.id in (
      select id from connectors
      where ${isStale} and id in (
        select id from (
          select id, checked_at, row_number() over (partition by org_id order by checked_at nulls first) as turn
          from connectors where ${isStale} and org_id <> all(${busy}::text[])
            and ${isNotSuspended(sql`org_id`)}) t
        where turn <= ${perOrganization}::int order by turn, checked_at nulls first limit ${limit})
      for no key update skip locked)
    returning ${targetColumns}, c.synced_commit as "syncedCommit"`);
};

/** Records nothing when the address, the ref or the access was changed during the check. */
export const setCheckError = (
  db: Db,
  orgId: OrgId,
  { id, cloneUrl, ref, accessKind, accessSecret }: StaleConnector,
  error: string | null,
) =>
  db.run(sql`
    update connectors set check_error = ${error}
    where org_id = ${orgId} and id = ${id} and check_error is distinct from ${error}
      and clone_url = ${cloneUrl} and ref = ${ref} and access_kind = ${accessKind}
      and access_secret is not distinct from ${accessSecret}`);

export interface LastSync {
  status: "queued" | "running" | "succeeded" | "failed" | "superseded";
  commit: string | null;
  code: string | null;
  retryable: boolean | null;
  /** It ended within the last hour. */
  recent: boolean;
}

export const findLastSync = (db: Db, orgId: OrgId, connectorId: string) =>
  db.row<LastSync>(sql`
    select status, commit_sha as commit, error_code as code, error_retryable as retryable,
      coalesce(finished_at > now() - interval '1 hour', true) as recent
    from connector_syncs where org_id = ${orgId} and connector_id = ${connectorId}
    order by id desc limit 1`);
