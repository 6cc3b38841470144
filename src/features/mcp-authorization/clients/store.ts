import { type Db, sql } from "../../../platform/db/index.ts";
import type { ClientMetadata } from "./metadata.ts";

export interface ClientRow {
  registration: "client_metadata" | "dynamic";
  metadata: ClientMetadata;
  isFresh: boolean;
}

/** Clients belong to no organization. */
export const findAcrossOrganizations = (db: Db, id: string) =>
  db.row<ClientRow>(sql`
    select registration, metadata, coalesce(fresh_until > now(), true) as "isFresh"
    from mcp_oauth_clients where id = ${id}`);

/** A document that is read again replaces the earlier copy. */
export const upsertAcrossOrganizations = (
  db: Db,
  client: {
    id: string;
    registration: ClientRow["registration"];
    metadata: object;
    freshSeconds: number | null;
  },
) =>
  db.run(sql`
    insert into mcp_oauth_clients (id, registration, metadata, fresh_until)
    values (${client.id}, ${client.registration}, ${JSON.stringify(client.metadata)}::text::jsonb,
      now() + make_interval(secs => ${client.freshSeconds}))
    on conflict (id) do update set metadata = excluded.metadata, fresh_until = excluded.fresh_until, last_used_at = now()`);

export const recordUseAcrossOrganizations = (db: Db, id: string) =>
  db.run(sql`
    update mcp_oauth_clients set last_used_at = now()
    where id = ${id} and last_used_at < now() - interval '5 minutes'`);

export const countAcrossOrganizations = async (db: Db, registration: ClientRow["registration"]) =>
  (await db.row<{ count: number }>(
    sql`select count(*) as count from mcp_oauth_clients where registration = ${registration}`,
  ))!.count;

const isUnused = sql`not exists (select from mcp_client_grants g where g.client_id = c.id)`;

/** Deletes some clients that no member connected and whose sign-in cannot be in progress. Returns how many. */
export const removeOldestAcrossOrganizations = (db: Db, registration: ClientRow["registration"]) =>
  db.run(sql`
    delete from mcp_oauth_clients where id in (
      select c.id from mcp_oauth_clients c
      where c.registration = ${registration} and c.last_used_at < now() - interval '40 minutes' and ${isUnused}
      order by c.last_used_at limit 1000)`);

/** Deletes clients that no member connected, a day after their last use. */
export const removeUnusedAcrossOrganizations = (db: Db) =>
  db.run(sql`
    delete from mcp_oauth_clients c where last_used_at < now() - interval '1 day'
      and ${isUnused}`);
