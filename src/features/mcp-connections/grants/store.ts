import type { OrgId } from "../../../platform/context.ts";
import { type Db, reuseStatement, type Sql, sql } from "../../../platform/db/index.ts";
import type { ConnectionId, UsableConnection } from "../model.ts";

/** Who asks: a member, or a run of an automation that acts for a member. */
export interface Reader {
  memberId: string;
  /** The run, for a run credential. */
  runId: string | null;
  /** Managers see every connection. They use only those that they were granted. */
  seesAll: boolean;
}

/** A condition on `mcp_connections c`: the worker that has claimed the run is not limited to other connections. */
const isAllowedOnWorker = (runId: Sql): Sql => sql`not exists (
  select from automation_runs r join automation_runners n on n.id = r.holder and n.org_id = r.org_id
  join workers w on w.id = n.name and w.org_id = r.org_id
  where r.id = ${runId} and r.org_id = c.org_id
    and cardinality(w.mcp_connection_ids) > 0 and c.id <> all(w.mcp_connection_ids))`;

/**
 * A condition on `mcp_connections c`. A run needs a grant to everybody or to its automation, and a worker that is not
 * limited to other connections.
 */
export const isGranted = ({ memberId, runId }: { memberId: Sql; runId: Sql }): Sql => sql`exists (
  select from mcp_connection_grants g where g.connection_id = c.id and g.org_id = c.org_id and (g.subject_kind = 'organization'
    or case when ${runId}::text is null
      then g.member_id = ${memberId} or exists (
        select from team_members x where x.team_id = g.team_id and x.org_id = c.org_id and x.member_id = ${memberId})
      else g.automation_id = (
        select r.automation_id from automation_runs r where r.id = ${runId} and r.org_id = c.org_id) end))
  and ${isAllowedOnWorker(runId)}`;

export interface UsableRow extends Omit<UsableConnection, "orgId" | "policy" | "limits"> {
  sealedUrl: string | null;
  policy: Partial<UsableConnection["policy"]>;
  limits: Partial<UsableConnection["limits"]>;
}

/** The columns of `mcp_connections c` and `organizations o` that make a row of a usable connection. */
export const usableColumns = sql`c.id, o.slug as "orgSlug", c.name, c.slug, c.url, c.sealed_url as "sealedUrl",
  c.credential, c.registration, c.protocol_version as "protocolVersion", c.policy, c.limits,
  c.log_payloads as "logPayloads", c.payload_days as "payloadDays", c.resource`;

const selectUsable = reuseStatement(
  (orgId: OrgId, memberId: string, runId: string | null, id: string | null) => sql`
    select ${usableColumns}
    from mcp_connections c join organizations o on o.id = c.org_id
    where c.org_id = ${orgId} and c.enabled and (${id}::text is null or c.id = ${id})
      and ${isGranted({ memberId: sql`${memberId}`, runId: sql`${runId}` })}
    order by c.slug`,
);

/** `id` null: all that the reader may use now. */
export const listUsable = (
  db: Db,
  orgId: OrgId,
  { memberId, runId }: Pick<Reader, "memberId" | "runId">,
  id: string | null,
) => db.rows<UsableRow>(selectUsable(orgId, memberId, runId, id));

/** The connection without a reader, for work that acts for nobody. */
export const findConnection = (db: Db, orgId: OrgId, id: ConnectionId) =>
  db.row<UsableRow & { enabled: boolean }>(sql`
    select ${usableColumns}, c.enabled
    from mcp_connections c join organizations o on o.id = c.org_id where c.org_id = ${orgId} and c.id = ${id}`);

export type SubjectKind = "organization" | "team" | "member" | "automation";

export const listGrants = (db: Db, orgId: OrgId, id: ConnectionId) =>
  db.rows<{ kind: SubjectKind; subjectId: string }>(sql`
    select subject_kind as kind, subject_id as "subjectId" from mcp_connection_grants
    where org_id = ${orgId} and connection_id = ${id} order by subject_kind, subject_id`);

export const removeGrants = (db: Db, orgId: OrgId, id: ConnectionId) =>
  db.run(sql`delete from mcp_connection_grants where org_id = ${orgId} and connection_id = ${id}`);

/** Locks teams until the transaction ends, so that a change of their members waits. */
export const lockTeams = (db: Db, orgId: OrgId, ids: readonly string[]) =>
  db.run(sql`
    select from teams where org_id = ${orgId} and id = any(${ids}::text[]) order by id for key share`);

/** Returns 0 when the organization has no such subject. */
export const insertGrant = (
  db: Db,
  orgId: OrgId,
  id: ConnectionId,
  { kind, subjectId }: { kind: SubjectKind; subjectId: string },
) =>
  db.run(sql`
    insert into mcp_connection_grants (connection_id, org_id, subject_kind, team_id, member_id, automation_id)
    select ${id}, o.id, ${kind}, t.id, m.id, a.id from organizations o
    left join teams t on ${kind} = 'team' and t.org_id = o.id and t.id = ${subjectId}
    left join members m on ${kind} = 'member' and m.org_id = o.id and m.id = ${subjectId}
    left join automations a on ${kind} = 'automation' and a.org_id = o.id and a.id = ${subjectId}
    where o.id = ${orgId} and (${kind} = 'organization' or coalesce(t.id, m.id, a.id) is not null)
    on conflict do nothing`);
