import type { OrgId } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/index.ts";
import { isNotSuspended } from "../suspension/index.ts";
import type { Fact } from "./facts.ts";

export interface NewEvent {
  id: string;
  type: string;
  key: string;
  /** As JSON. */
  data: string;
}

/** Inserts nothing when the fact was announced before or the organization does not exist any more. */
export const insert = (tx: Db, orgId: OrgId, { id, type, key, data }: NewEvent) =>
  tx.run(sql`
    insert into notification_events (id, org_id, type, key, data)
    select ${id}, o.id, ${type}, ${key}, ${data}::text::jsonb from organizations o where o.id = ${orgId}
    on conflict (org_id, key) do nothing`);

export const hasWaiting = sql`exists (
  select from notification_events where fanned_out_at is null and due_at <= now())`;

/**
 * Lists events that are not fanned out yet, in turn by organization. The query steps through the index from one
 * organization to the next, so that it does not read the long backlog of one organization.
 */
export const listWaitingAcrossOrganizations = (db: Db, limit: number) =>
  db.rows<{ id: string; orgId: OrgId }>(sql`
    with recursive waiting (org_id) as (
      (select org_id from notification_events where fanned_out_at is null order by org_id limit 1)
      union all
      select (select e.org_id from notification_events e
        where e.fanned_out_at is null and e.org_id > w.org_id order by e.org_id limit 1)
      from waiting w where w.org_id is not null)
    select e.id, w.org_id as "orgId" from (
      select org_id from waiting where ${isNotSuspended(sql`org_id`)}) w
    cross join lateral (
      select id, row_number() over (order by id) as turn from notification_events
      where org_id = w.org_id and fanned_out_at is null and due_at <= now() order by id limit ${limit}) e
    order by e.turn, e.id limit ${limit}`);

export interface WaitingEvent {
  id: string;
  fact: Fact;
  createdAt: number;
}

/** Undefined when another process has locked the event or has already fanned it out. */
export const lockWaiting = (tx: Db, orgId: OrgId, id: string) =>
  tx.row<WaitingEvent>(sql`
    select id, data as fact, created_at as "createdAt" from notification_events
    where org_id = ${orgId} and id = ${id} and fanned_out_at is null for update skip locked`);

export const markFannedOut = (tx: Db, orgId: OrgId, id: string) =>
  tx.run(sql`update notification_events set fanned_out_at = now() where org_id = ${orgId} and id = ${id}`);

export const remove = (tx: Db, orgId: OrgId, id: string) =>
  tx.run(sql`delete from notification_events where org_id = ${orgId} and id = ${id}`);

/** Schedules another try after a pause, or drops the event after `most` failures. Returns true when it is dropped. */
export const postpone = async (db: Db, orgId: OrgId, id: string, maxFailures: number): Promise<boolean> =>
  (
    await db.row<{ isDropped: boolean }>(sql`
      update notification_events set failures = failures + 1, due_at = now() + (failures + 1) * interval '1 minute',
        fanned_out_at = case when failures + 1 >= ${maxFailures}::int then now() end
      where org_id = ${orgId} and id = ${id} and fanned_out_at is null
      returning fanned_out_at is not null as "isDropped"`)
  )?.isDropped ?? false;

/**
 * Deletes events that were fanned out and are older than `days`, at most `limit` rows. Ids sort by time, so no other
 * index is needed. Those that wait, for example because their organization is suspended, do not count.
 */
export const removeOldAcrossOrganizations = (db: Db, days: number, limit: number) =>
  db.run(sql`
    delete from notification_events where id in (
      select id from (
        select id, created_at from notification_events
        where fanned_out_at is not null order by id limit ${limit}) oldest
      where created_at < now() - make_interval(days => ${days}::int))`);

export const findAutomation = (db: Db, orgId: OrgId, id: string) =>
  db.row<{ name: string }>(sql`
    select v.name from automations a
    join automation_revisions v on v.automation_id = a.id and v.revision = a.revision
    where a.org_id = ${orgId} and a.id = ${id}`);

export const findConnection = (db: Db, orgId: OrgId, id: string) =>
  db.row<{
    providerId: string;
    account: string;
    shared: boolean;
    memberId: string | null;
    connectedBy: string;
  }>(sql`
    select provider_id as "providerId", label as account, shared, member_id as "memberId",
      connected_by as "connectedBy"
    from oauth_connections where org_id = ${orgId} and id = ${id}`);

export const findMcpConnection = (db: Db, orgId: OrgId, id: string) =>
  db.row<{ name: string; createdBy: string | null }>(sql`
    select name, created_by as "createdBy" from mcp_connections where org_id = ${orgId} and id = ${id}`);

export const findConnector = (db: Db, orgId: OrgId, id: string) =>
  db.row<{ name: string; repository: string; ref: string; createdBy: string }>(sql`
    select name, repository, ref, created_by as "createdBy" from connectors
    where org_id = ${orgId} and id = ${id}`);

/** Null when the worker is removed or its owner has left. */
export const findWorkerOwner = async (db: Db, orgId: OrgId, id: string) =>
  (
    await db.row<{ memberId: string | null }>(
      sql`select member_id as "memberId" from workers where org_id = ${orgId} and id = ${id}`,
    )
  )?.memberId ?? null;

/** The name of what a budget is for. */
export const findBudgetSubject = (db: Db, orgId: OrgId, id: string) =>
  db.row<{ name: string | null }>(sql`
    select case b.subject_kind
      when 'team' then (select t.name from teams t where t.id = b.team_id)
      when 'member' then (select u.name from members m join users u on u.id = m.user_id where m.id = b.member_id)
      when 'provider' then (select p.name from llm_providers p where p.id = b.provider_id)
      else (select o.name from organizations o where o.id = b.org_id) end as name
    from llm_budgets b where b.org_id = ${orgId} and b.id = ${id}`);

/** Marks the pending deliveries of a disabled endpoint as failed. The caller has locked the endpoint. */
export const failPendingDeliveries = (tx: Db, orgId: OrgId, endpointId: string) =>
  tx.run(sql`
    update webhook_endpoint_deliveries set status = 'failed', finished_at = now(), sending = false
    where org_id = ${orgId} and endpoint_id = ${endpointId} and status = 'pending'`);
