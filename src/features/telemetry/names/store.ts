import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

export interface NameRow {
  /** `2026-11-16`. */
  day: string;
  kind: string;
  name: string;
}

/** New names of one organization are counted by one request at a time. */
export const lockNames = (tx: Db, orgId: OrgId) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`telemetry names ${orgId}`}, 0))`);

/** Adds the names that are new on their day, as long as the day has fewer than `max` of their kind. */
export const insertUpTo = (tx: Db, orgId: OrgId, names: readonly (NameRow & { max: number })[]) =>
  tx.run(sql`
    insert into telemetry_names (org_id, day, kind, name)
    select ${orgId}, n.day, n.kind, n.name from (
      select g.*, row_number() over (partition by g.day, g.kind order by g.position) as rank
      from unnest(${names.map(({ day }) => day)}::date[], ${names.map(({ kind }) => kind)}::text[],
        ${names.map(({ name }) => name)}::text[], ${names.map(({ max }) => max)}::int[])
        with ordinality as g(day, kind, name, max, position)
      where not exists (select from telemetry_names t
        where t.org_id = ${orgId} and t.day = g.day and t.kind = g.kind and t.name = g.name)) n
    where n.rank + (select count(*) from telemetry_names t
      where t.org_id = ${orgId} and t.day = n.day and t.kind = n.kind) <= n.max
    on conflict do nothing`);

/** All names of these days and kinds. */
export const list = (tx: Db, orgId: OrgId, sets: readonly Omit<NameRow, "name">[]) =>
  tx.rows<NameRow>(sql`
    select n.day::text as day, n.kind, n.name from telemetry_names n
    join unnest(${sets.map(({ day }) => day)}::date[], ${sets.map(({ kind }) => kind)}::text[]) as g(day, kind)
      on g.day = n.day and g.kind = n.kind
    where n.org_id = ${orgId}`);

export const removeOld = (db: Db, orgId: OrgId, before: string, limit: number) =>
  db.run(sql`
    delete from telemetry_names where org_id = ${orgId} and (day, kind, name) in (
      select n.day, n.kind, n.name from telemetry_names n
      where n.org_id = ${orgId} and n.day < ${before}::date limit ${limit})`);
