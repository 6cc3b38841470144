import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

/** Written before the request, so that a client is never registered without a row that removes it. */
export const insertIntent = (
  db: Db,
  orgId: OrgId,
  id: string,
  registrationEndpoint: string,
  minutes: number,
) =>
  db.run(sql`
    insert into mcp_registrations (id, org_id, registration_endpoint, due_at)
    values (${id}, ${orgId}, ${registrationEndpoint}, now() + make_interval(mins => ${minutes}::int))`);

interface Registered {
  clientId: string;
  managementUrl: string | null;
  accessToken: string | null;
}

/** Records the client. Without a connection it is removed after the time of the intent. */
export const setRegistered = (db: Db, orgId: OrgId, id: string, made: Registered) =>
  db.run(sql`
    update mcp_registrations set state = 'registered', client_id = ${made.clientId},
      management_url = ${made.managementUrl}, access_token = ${made.accessToken}
    where org_id = ${orgId} and id = ${id} and state = 'intended'`);

/** Returns 0 when the client is already being removed. */
export const keep = (db: Db, orgId: OrgId, id: string, connectionId: string) =>
  db.run(sql`
    update mcp_registrations set state = 'kept', connection_id = ${connectionId}
    where org_id = ${orgId} and id = ${id} and state = 'registered'`);

/** Lets the job remove a client that is not needed. */
export const release = (db: Db, orgId: OrgId, id: string) =>
  db.run(sql`
    update mcp_registrations set state = 'removing', due_at = now()
    where org_id = ${orgId} and id = ${id} and state in ('registered', 'intended')`);

export const releaseOfConnection = (db: Db, orgId: OrgId, connectionId: string) =>
  db.run(sql`
    update mcp_registrations set state = 'removing', due_at = now()
    where org_id = ${orgId} and connection_id = ${connectionId} and state = 'kept'`);

export const remove = (db: Db, orgId: OrgId, id: string) =>
  db.run(sql`delete from mcp_registrations where org_id = ${orgId} and id = ${id} and state = 'removing'`);

/** For a request that the server refused. */
export const removeIntent = (db: Db, orgId: OrgId, id: string) =>
  db.run(sql`delete from mcp_registrations where org_id = ${orgId} and id = ${id} and state = 'intended'`);

export const storeError = (db: Db, orgId: OrgId, id: string, error: string) =>
  db.run(sql`update mcp_registrations set last_error = ${error} where org_id = ${orgId} and id = ${id}`);

/** Connections that were deleted together with their organization leave their clients. */
export const releaseOrphansAcrossOrganizations = (db: Db) =>
  db.run(sql`
    update mcp_registrations r set state = 'removing', due_at = now()
    where r.state = 'kept' and not exists (select from mcp_connections c where c.id = r.connection_id)`);

export interface DueRegistration {
  id: string;
  orgId: OrgId;
  registrationEndpoint: string;
  clientId: string | null;
  managementUrl: string | null;
  accessToken: string | null;
  attempts: number;
}

/**
 * Takes clients to remove, in turn by organization and without those in `busy`. Tokens of a client are revoked first,
 * because only the client can do that. If the process dies, the client becomes due again after the pause.
 */
export const claimDueAcrossOrganizations = (
  db: Db,
  busy: readonly string[],
  perOrganization: number,
  limit: number,
  pauses: readonly number[],
) =>
  db.rows<DueRegistration>(sql`
    update mcp_registrations r set state = 'removing', attempts = attempts + 1,
      due_at = now() + make_interval(mins => (${pauses}::int[])[least(attempts + 1, ${pauses.length}::int)])
    where r.id in (
      select id from mcp_registrations where state <> 'kept' and due_at <= now() and id in (
        select id from (
          select d.id, d.due_at, row_number() over (partition by d.org_id order by d.due_at) as turn
          from mcp_registrations d
          where d.state <> 'kept' and d.due_at <= now() and d.org_id <> all(${busy}::text[])
            and not exists (
              select from oauth_client_credentials k join oauth_tokens t on t.credentials_id = k.id
              where k.org_id = d.org_id and k.client_id = d.client_id and t.revoke_state = 'pending'
                and t.revoke_attempts < 3)) p
        where turn <= ${perOrganization}::int order by turn, due_at limit ${limit})
      for update skip locked)
    returning r.id, r.org_id as "orgId", r.registration_endpoint as "registrationEndpoint",
      r.client_id as "clientId", r.management_url as "managementUrl", r.access_token as "accessToken", r.attempts`);
