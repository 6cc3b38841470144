import type { OrgId } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/index.ts";
import type { Fact } from "./facts.ts";

export interface NewEvent {
  id: string;
  type: string;
  key: string;
  /** As JSON. */
  data: string;
}

/** Nothing when it was announced before, or the organization is gone. */
export const insert = (tx: Db, orgId: OrgId, { id, type, key, data }: NewEvent) =>
  tx.run(sql`
    insert into notification_events (id, org_id, type, key, data)
    select ${id}, o.id, ${type}, ${key}, ${data}::text::jsonb from organizations o where o.id = ${orgId}
    on conflict (org_id, key) do nothing`);

/**
 * Events that nobody was told of yet, the first of each organization, then the second of each, and so on. Organizations
 * are found by steps through the index, so that a long backlog of one of them is not read.
 */
export const listWaitingAcrossOrganizations = (db: Db, limit: number) =>
  db.rows<{ id: string; orgId: OrgId }>(sql`
    with recursive waiting (org_id) as (
      (select org_id from notification_events where fanned_out_at is null order by org_id limit 1)
      union all
      select (select e.org_id from notification_events e
        where e.fanned_out_at is null and e.org_id > w.org_id order by e.org_id limit 1)
      from waiting w where w.org_id is not null)
    select e.id, w.org_id as "orgId" from waiting w
    cross join lateral (
      select id, row_number() over (order by id) as turn from notification_events
      where org_id = w.org_id and fanned_out_at is null and due_at <= now() order by id limit ${limit}) e
    order by e.turn, e.id limit ${limit}`);

export interface WaitingEvent {
  id: string;
  fact: Fact;
  createdAt: number;
}

/** Undefined when somebody else has it or is done with it. */
export const lockWaiting = (tx: Db, orgId: OrgId, id: string) =>
  tx.row<WaitingEvent>(sql`
    select id, data as fact, created_at as "createdAt" from notification_events
    where org_id = ${orgId} and id = ${id} and fanned_out_at is null for update skip locked`);

export const markFannedOut = (tx: Db, orgId: OrgId, id: string) =>
  tx.run(sql`update notification_events set fanned_out_at = now() where org_id = ${orgId} and id = ${id}`);

export const remove = (tx: Db, orgId: OrgId, id: string) =>
  tx.run(sql`delete from notification_events where org_id = ${orgId} and id = ${id}`);

/** Tried again after a pause; given up after `most` failures. True: given up. */
export const putOff = async (db: Db, orgId: OrgId, id: string, most: number): Promise<boolean> =>
  (
    await db.row<{ over: boolean }>(sql`
      update notification_events set failures = failures + 1, due_at = now() + (failures + 1) * interval '1 minute',
        fanned_out_at = case when failures + 1 >= ${most}::int then now() end
      where org_id = ${orgId} and id = ${id} and fanned_out_at is null
      returning fanned_out_at is not null as over`)
  )?.over ?? false;

/** Removes the oldest ones that are over, at most `limit`. Ids sort by time, so that no other index is needed. */
export const removeOldOfAll = (db: Db, days: number, limit: number) =>
  db.run(sql`
    delete from notification_events where id in (
      select id from (
        select id, created_at, fanned_out_at from notification_events order by id limit ${limit}) oldest
      where fanned_out_at is not null and created_at < now() - make_interval(days => ${days}::int))`);

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

export const findConnector = (db: Db, orgId: OrgId, id: string) =>
  db.row<{ name: string; repository: string; ref: string; createdBy: string }>(sql`
    select name, repository, ref, created_by as "createdBy" from connectors
    where org_id = ${orgId} and id = ${id}`);
