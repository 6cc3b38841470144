import type { MemberId, OrgId } from "../../platform/context.ts";
import { type Db, emptySql, filterOrder, listSource, pageBytes, sql } from "../../platform/db/index.ts";
import type { Id } from "../../platform/ids.ts";
import { isNotSuspended } from "../suspension/index.ts";
import type { Automation, Revision } from "./contract.ts";

export type AutomationId = Id<"aut">;
/** The member whose automations a caller may read. Null means all members. */
export type Reach = string | null;

const revisionColumns = sql`v.revision, v.name, v.instructions, v.schedule, case when v.model_id is not null then
    json_build_object('providerId', v.model_provider_id, 'modelId', v.model_id) end as model,
  v.max_runtime_seconds as "maxRuntimeSeconds", v.template_ids as "templateIds",
  v.connection_ids as "connectionIds"`;
const resources = sql`
  (select coalesce(json_agg(coalesce(
      (select json_build_object('id', t.id, 'slug', t.slug, 'name', t.name) from templates t
        where t.id = g.id and t.org_id = a.org_id),
      json_build_object('id', g.id, 'slug', null, 'name', null)) order by g.place), '[]')
    from unnest(v.template_ids) with ordinality g (id, place)) as templates,
  (select coalesce(json_agg(coalesce(
      (select json_build_object('id', c.id, 'providerId', c.provider_id, 'account', c.label) from oauth_connections c
        where c.id = g.id and c.org_id = a.org_id and c.status <> 'ended'),
      json_build_object('id', g.id, 'providerId', null, 'account', null)) order by g.place), '[]')
    from unnest(v.connection_ids) with ordinality g (id, place)) as connections`;
/** Times are floored, as those of columns are. */
const lastRun = sql`(select json_build_object('id', r.id, 'status', r.status, 'reason', r.reason,
    'createdAt', floor(extract(epoch from r.created_at) * 1000),
    'startedAt', floor(extract(epoch from r.started_at) * 1000),
    'finishedAt', floor(extract(epoch from r.finished_at) * 1000))
  from automation_runs r where r.automation_id = a.id order by ${filterOrder(sql`r.id`)} desc limit 1) as "lastRun"`;
const columns = sql`a.id, a.member_id as "memberId", a.status, ${revisionColumns}, ${resources}, a.next_run_at as "nextRunAt",
  ${lastRun},
  a.created_at as "createdAt", a.updated_at as "updatedAt"`;
const current = sql`automations a join automation_revisions v on v.automation_id = a.id and v.revision = a.revision`;
const withinReach = (orgId: OrgId, reach: Reach) =>
  sql`a.org_id = ${orgId} and (${reach}::text is null or a.member_id = ${reach})`;
const instant = (ms: number | null) => sql`to_timestamp(${ms}::bigint / 1000.0)`;

export const insert = (
  db: Db,
  orgId: OrgId,
  automation: {
    id: AutomationId;
    memberId: MemberId;
    status: "active" | "inactive";
    nextRunAt: number | null;
  },
) =>
  db.run(sql`
    insert into automations (id, org_id, member_id, status, revision, next_run_at)
    values (${automation.id}, ${orgId}, ${automation.memberId}, ${automation.status}, 0,
      ${instant(automation.nextRunAt)})`);

export type RevisionContent = Pick<
  Automation,
  "name" | "instructions" | "schedule" | "model" | "maxRuntimeSeconds" | "templateIds" | "connectionIds"
>;

/** Adds the next revision and makes it current. The caller has locked or just created the automation. */
export const addRevision = (
  tx: Db,
  orgId: OrgId,
  id: AutomationId,
  createdBy: MemberId,
  next: RevisionContent,
) =>
  tx.run(sql`
    with a as (
      update automations set revision = revision + 1, updated_at = now()
      where id = ${id} and org_id = ${orgId} returning id, revision)
    insert into automation_revisions (automation_id, revision, name, instructions, schedule, model_provider_id,
      model_id, max_runtime_seconds, template_ids, connection_ids, created_by)
    select a.id, a.revision, ${next.name}, ${next.instructions}, ${JSON.stringify(next.schedule)}::text::jsonb,
      ${next.model?.providerId ?? null}, ${next.model?.modelId ?? null}, ${next.maxRuntimeSeconds},
      ${next.templateIds}::text[], ${next.connectionIds}::text[], ${createdBy}
    from a`);

/** Deletes revisions, except the newest `keep` and those that a run uses. */
export const removeOldRevisions = (tx: Db, orgId: OrgId, id: AutomationId, keep: number) =>
  tx.run(sql`
    delete from automation_revisions v using automations a
    where a.id = ${id} and a.org_id = ${orgId} and v.automation_id = a.id
      and v.revision <= a.revision - ${keep}::bigint and not exists (
        select from automation_runs r where r.automation_id = v.automation_id and r.revision = v.revision)`);

export const find = (db: Db, orgId: OrgId, reach: Reach, id: AutomationId) =>
  db.row<Automation>(
    sql`select ${columns} from ${current} where a.id = ${id} and ${withinReach(orgId, reach)}`,
  );

/** Locks first and reads afterwards, so that a caller that waited for the lock sees the latest change. */
export const lock = async (tx: Db, orgId: OrgId, reach: Reach, id: AutomationId) => {
  const locked = await tx.row<{ id: AutomationId }>(
    sql`select a.id from automations a where a.id = ${id} and ${withinReach(orgId, reach)} for no key update`,
  );
  return locked && find(tx, orgId, reach, id);
};

export const list = (
  db: Db,
  orgId: OrgId,
  reach: Reach,
  { status, memberId }: { status: Automation["status"] | null; memberId: string | null },
) =>
  listSource<Automation>(db, {
    filtered: true,
    candidates: (after, count) => sql`
      select a.id, ${withinReach(orgId, reach)}
        ${memberId === null ? emptySql : sql`and a.member_id = ${memberId}`}
        and ${status === null ? sql`a.status <> 'archived'` : sql`a.status = ${status}`} as matches
      from automations a where a.org_id = ${orgId} and a.id < ${after} order by a.id desc limit ${count}`,
    rows: (ids) => sql`select ${columns} from ${current} where a.id = any(${ids})`,
    bytes: sql`octet_length(page.instructions)`,
  });

/** Newest first; fewer than `limit` when their instructions are large. `found` is more than their number when others follow. */
export const listRevisions = (db: Db, orgId: OrgId, id: AutomationId, before: number | null, limit: number) =>
  db.rows<Revision & { found: number }>(sql`
    with page as (
      select v.revision, row_number() over later as n, sum(octet_length(v.instructions)) over later as bytes,
        count(*) over ()::int as found
      from (
        select v.revision, v.instructions from automations a join automation_revisions v on v.automation_id = a.id
        where a.id = ${id} and a.org_id = ${orgId} and (${before}::int is null or v.revision < ${before})
        order by v.revision desc limit ${limit + 1}) v
      window later as (order by v.revision desc))
    select ${revisionColumns}, v.created_by as "createdBy", v.created_at as "createdAt", p.found
    from page p join automation_revisions v on v.automation_id = ${id} and v.revision = p.revision
    where p.n = 1 or p.bytes <= ${pageBytes}::bigint
    order by v.revision desc limit ${limit}`);

export const setStatus = (
  tx: Db,
  orgId: OrgId,
  id: AutomationId,
  status: Automation["status"],
  nextRunAt: number | null,
) =>
  tx.run(sql`
    update automations set status = ${status}, next_run_at = ${instant(nextRunAt)}, updated_at = now()
    where id = ${id} and org_id = ${orgId}`);

export const setNextRun = (tx: Db, orgId: OrgId, id: AutomationId, nextRunAt: number | null) =>
  tx.run(
    sql`update automations set next_run_at = ${instant(nextRunAt)} where id = ${id} and org_id = ${orgId}`,
  );

export const isDeactivated = async (db: Db, orgId: OrgId, memberId: string): Promise<boolean> =>
  (await db.row(sql`
    select 1 from members where org_id = ${orgId} and id = ${memberId} and deactivated_at is not null`)) !==
  undefined;

/** Returns how many automations changed: 0 when the member is not in this organization or is deactivated. */
export const setOwner = (tx: Db, orgId: OrgId, id: AutomationId, memberId: string) =>
  tx.run(sql`
    update automations a set member_id = m.id, updated_at = now() from members m
    where a.id = ${id} and a.org_id = ${orgId} and m.id = ${memberId} and m.org_id = ${orgId}
      and m.deactivated_at is null`);

export interface DueAutomation {
  id: AutomationId;
  orgId: OrgId;
  memberId: string | null;
  ownerDeactivated: boolean;
  revision: number;
  schedule: Automation["schedule"];
  nextRunAt: number;
  /** The database's clock, because the clocks of replicas can differ. */
  now: number;
}

export const hasDue = sql`exists (select from automations where next_run_at <= now())`;

/**
 * Locks due automations that are not in `except`, in turns: the first of each organization, then the second of each, and
 * so on. Rows that another process has locked are skipped. Those of a suspended organization wait until it is restored.
 */
export const lockDueAcrossOrganizations = (tx: Db, except: readonly string[], limit: number) =>
  tx.rows<DueAutomation>(sql`
    select a.id, a.org_id as "orgId", a.member_id as "memberId", a.revision, v.schedule,
      exists (select from members m where m.id = a.member_id and m.deactivated_at is not null) as "ownerDeactivated",
      a.next_run_at as "nextRunAt", now() as now
    from ${current}
    where a.next_run_at <= now() and a.id in (
      select due.id from (
        select distinct org_id from automations where next_run_at <= now() and ${isNotSuspended(sql`org_id`)}) o
      cross join lateral (
        select id, next_run_at, row_number() over (order by next_run_at) as turn from automations
        where org_id = o.org_id and next_run_at <= now() and id <> all(${except}::text[])
        order by next_run_at limit ${limit}) due
      order by due.turn, due.next_run_at limit ${limit})
    order by a.next_run_at for no key update of a skip locked`);
