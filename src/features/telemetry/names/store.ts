import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

export interface NameRow {
  /** `2026-11-16`. */
  day: string;
  kind: string;
  name: string;
}

/**
 * Adds the names that are new on their day, as long as the day has fewer than `max` of their kind. Returns those of the
 * given names that the day has now. New names of one organization are counted by one process at a time.
 */
export const admit = (db: Db, orgId: OrgId, names: readonly (NameRow & { max: number })[]) =>
  db.transaction(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`telemetry names ${orgId}`}, 0))`);
    return tx.rows<NameRow>(sql`
      with given as (
        select g.day, g.kind, g.name, g.max, g.position, t.name is not null as is_known
        from unnest(${names.map(({ day }) => day)}::date[], ${names.map(({ kind }) => kind)}::text[],
          ${names.map(({ name }) => name)}::text[], ${names.map(({ max }) => max)}::int[])
          with ordinality as g(day, kind, name, max, position)
        left join telemetry_names t
          on t.org_id = ${orgId} and t.day = g.day and t.kind = g.kind and t.name = g.name
      ), counted as (
        select s.day, s.kind, (select count(*) from telemetry_names t
          where t.org_id = ${orgId} and t.day = s.day and t.kind = s.kind) as count
        from (select distinct day, kind from given where not is_known) s
      ), added as (
        insert into telemetry_names (org_id, day, kind, name)
        select ${orgId}, n.day, n.kind, n.name
        from (select *, row_number() over (partition by day, kind order by position) as rank
          from given where not is_known) n
        join counted c on c.day = n.day and c.kind = n.kind
        where n.rank + c.count <= n.max
        on conflict do nothing
        returning day, kind, name
      )
      select day::text as day, kind, name from given where is_known
      union all
      select day::text, kind, name from added`);
  });

/** Which of the given names their days have. `position` counts from 1. */
export const listAdmitted = (db: Db, orgId: OrgId, names: readonly NameRow[]) =>
  db.rows<{ position: number }>(sql`
    select g.position::int as position
    from unnest(${names.map(({ day }) => day)}::date[], ${names.map(({ kind }) => kind)}::text[],
      ${names.map(({ name }) => name)}::text[]) with ordinality as g(day, kind, name, position)
    join telemetry_names t on t.org_id = ${orgId} and t.day = g.day and t.kind = g.kind and t.name = g.name`);

/** All names of a day and a kind. */
export const list = (db: Db, orgId: OrgId, day: string, kind: string) =>
  db.rows<{ name: string }>(
    sql`select name from telemetry_names where org_id = ${orgId} and day = ${day}::date and kind = ${kind}`,
  );

export const removeOld = (db: Db, orgId: OrgId, before: string, limit: number) =>
  db.run(sql`
    delete from telemetry_names where org_id = ${orgId} and (day, kind, name) in (
      select n.day, n.kind, n.name from telemetry_names n
      where n.org_id = ${orgId} and n.day < ${before}::date limit ${limit})`);

/** For a deleted organization. */
export const removeSome = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from telemetry_names where org_id = ${orgId} and ctid = any(array(
      select n.ctid from telemetry_names n where n.org_id = ${orgId} order by n.day limit ${limit}))`);
