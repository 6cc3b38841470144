import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

export type RecordKind = "interaction" | "grant" | "code" | "access_token" | "refresh_token";

export interface RecordRow {
  orgId: OrgId | null;
  payload: string;
  /** Since when the code or token is used, in milliseconds since 1970. */
  consumedAt: number | null;
  /** True for a token that was used a moment ago. */
  isJustConsumed: boolean;
}

/**
 * How long a used refresh token is accepted again. Clients with several connections renew at the same time, and a reply
 * can be lost on the way.
 */
const graceSeconds = 10;

/** The id is a hash of the code or token that the caller sent. */
export const findByToken = (db: Db, kind: RecordKind, id: string) =>
  db.row<RecordRow>(sql`
    select org_id as "orgId", payload, consumed_at as "consumedAt",
      coalesce(consumed_at > now() - make_interval(secs => ${graceSeconds}), false) as "isJustConsumed"
    from mcp_authorization_records where id = ${id} and kind = ${kind} and expires_at > now()`);

/**
 * Makes requests with codes and tokens of one grant wait for each other. The end of a grant locks it first too, so that
 * the two cannot block each other.
 */
export const lockGrantByToken = (db: Db, id: string) =>
  db.row<{ id: string }>(sql`
    select g.id from mcp_client_grants g
    where g.id = (select r.grant_id from mcp_authorization_records r where r.id = ${id}) for update`);

interface NewRecord {
  id: string;
  payload: string;
  seconds: number;
}

/** A sign-in in progress. Nobody owns it until its organization is chosen. */
export const upsertInteractionByToken = (db: Db, { id, payload, seconds }: NewRecord) =>
  db.run(sql`
    insert into mcp_authorization_records as r (id, kind, payload, expires_at)
    values (${id}, 'interaction', ${payload}, now() + make_interval(secs => ${seconds}))
    on conflict (id) do update set payload = excluded.payload, expires_at = excluded.expires_at
    where r.kind = 'interaction'`);

interface NewGrantRecord extends NewRecord {
  kind: Exclude<RecordKind, "interaction">;
  grantId: string;
  scopes: readonly string[] | null;
  /** The grant lasts at least as long as this record. */
  renews: boolean;
}

/** Returns undefined when the grant has ended. */
export const upsert = (db: Db, orgId: OrgId, record: NewGrantRecord) =>
  db.row<{ id: string }>(sql`
    with owner as (
      update mcp_client_grants set expires_at = case when ${record.renews}
        then greatest(expires_at, now() + make_interval(secs => ${record.seconds})) else expires_at end
      where id = ${record.grantId} and org_id = ${orgId} returning id, org_id
    )
    insert into mcp_authorization_records (id, kind, org_id, grant_id, payload, scopes, expires_at)
    select ${record.id}, ${record.kind}, owner.org_id, owner.id, ${record.payload}, ${record.scopes}::text[],
      now() + make_interval(secs => ${record.seconds}) from owner
    on conflict (id) do update set payload = excluded.payload, expires_at = excluded.expires_at
    returning id`);

/** The first use counts. */
export const consumeByToken = (db: Db, id: string) =>
  db.run(sql`
    update mcp_authorization_records set consumed_at = now() where id = ${id} and consumed_at is null`);

export const removeByToken = (db: Db, kind: RecordKind, id: string) =>
  db.run(sql`delete from mcp_authorization_records where id = ${id} and kind = ${kind}`);

export const removeExpiredAcrossOrganizations = (db: Db) =>
  db.run(sql`delete from mcp_authorization_records where expires_at < now()`);
