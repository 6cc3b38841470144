import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { ConnectionEvent, EventType } from "./contract.ts";

export interface NewEvent {
  id: string;
  type: EventType;
  providerId: string;
  connectionId: string | null;
  memberId: string | null;
  credential: string | null;
  credentialId: string | null;
  address: string | null;
  userAgent: string | null;
  detail: Record<string, unknown>;
}

/** Locks the owner of the event, because the table has no foreign keys. Nothing is inserted if the owner was removed. */
export const insert = (db: Db, orgId: OrgId, event: NewEvent) =>
  db.run(sql`
    insert into oauth_connection_events (id, org_id, provider_id, connection_id, type, member_id, credential,
      credential_id, address, user_agent, detail)
    select ${event.id}, ${orgId}, ${event.providerId}, ${event.connectionId}, ${event.type}, ${event.memberId},
      ${event.credential}, ${event.credentialId}, ${event.address}, ${event.userAgent},
      ${JSON.stringify(event.detail)}::jsonb
    from ${
      event.connectionId === null
        ? sql`organizations where id = ${orgId}`
        : sql`oauth_connections where org_id = ${orgId} and id = ${event.connectionId}`
    } for key share`);

export const list = (db: Db, orgId: OrgId, connectionId: string, after: string, limit: number) =>
  db.rows<ConnectionEvent>(sql`
    select id, type, member_id as "memberId", credential, credential_id as "credentialId", address,
      user_agent as "userAgent", detail, created_at as "createdAt"
    from oauth_connection_events
    where org_id = ${orgId} and connection_id = ${connectionId} and id < ${after}
    order by id desc limit ${limit}`);

/**
 * Removes old events whose ids are larger than `after`, at most `limit`. Returns how many, and the last id. Events of
 * issued tokens are many, so they are kept for a shorter time than other events. Ids begin with the time at which they
 * were made.
 */
export const removeSomeOldAcrossOrganizations = async (
  db: Db,
  { issuedDays, otherDays }: { issuedDays: number; otherDays: number },
  after: string,
  limit: number,
) =>
  (await db.row<{ removed: number; last: string | null }>(sql`
    with gone as (
      delete from oauth_connection_events where id in (
        select id from oauth_connection_events
        where id > ${after} and id < 'oce_' || id_digits_at(now() - make_interval(days => ${issuedDays}::int))
          and (type = 'token_issued' or id < 'oce_' || id_digits_at(now() - make_interval(days => ${otherDays}::int)))
        order by id limit ${limit})
      returning id)
    select count(*)::int as removed, max(id) as last from gone`))!;

/** Removes events of a deleted organization that have no connection. */
export const removeSomeWithoutConnection = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from oauth_connection_events where org_id = ${orgId} and id = any(array(
      select e.id from oauth_connection_events e where e.org_id = ${orgId} and e.connection_id is null limit ${limit}))`);

/**
 * Removes events of the first connections of a deleted organization, and the marks of those without events. Returns how
 * many rows it removed.
 */
export const removeSomeOfConnections = async (db: Db, orgId: OrgId, limit: number): Promise<number> => {
  const first = sql`select l.connection_id from oauth_event_leftovers l where l.org_id = ${orgId}
    order by l.connection_id limit 100`;
  const removed = await db.run(sql`
    delete from oauth_connection_events where org_id = ${orgId} and id = any(array(
      select e.id from (${first}) l cross join lateral (
        select o.id from oauth_connection_events o
        where o.org_id = ${orgId} and o.connection_id = l.connection_id order by o.id desc limit ${limit}) e
      limit ${limit}))`);
  if (removed >= limit) return removed;
  return (
    removed +
    (await db.run(sql`
      delete from oauth_event_leftovers g where g.org_id = ${orgId} and g.connection_id in (${first})
        and not exists (
          select from oauth_connection_events o where o.org_id = ${orgId} and o.connection_id = g.connection_id)`))
  );
};
