import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

/** A point of a cumulative metric; the series in hexadecimal, times in nanoseconds as text. */
export interface PointRow {
  series: string;
  startedNanos: string;
  nanos: string;
  value: number;
}

/** Points of one organization are compared by one request at a time. */
export const lockPoints = (tx: Db, orgId: OrgId) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`telemetry points ${orgId}`}, 0))`);

export interface NeighborRow {
  position: number;
  isKnown: boolean;
  beforeNanos: string | null;
  beforeValue: number | null;
  afterNanos: string | null;
  afterValue: number | null;
}

/** The stored points since `from` next to each of the given ones. `position` counts from 1. */
export const listNeighbors = (
  tx: Db,
  orgId: OrgId,
  points: readonly Omit<PointRow, "value">[],
  from: number,
) =>
  tx.rows<NeighborRow>(sql`
    select g.position::int as position, known.series is not null as "isKnown",
      before.nanos::text as "beforeNanos", before.value::double precision as "beforeValue",
      after.nanos::text as "afterNanos", after.value::double precision as "afterValue"
    from unnest(${points.map(({ series }) => series)}::text[], ${points.map((one) => one.startedNanos)}::bigint[],
      ${points.map(({ nanos }) => nanos)}::bigint[]) with ordinality as g(series, started_nanos, nanos, position)
    left join telemetry_points known on known.org_id = ${orgId} and known.series = decode(g.series, 'hex')
      and known.started_nanos = g.started_nanos and known.nanos = g.nanos
    left join lateral (
      select p.nanos, p.value from telemetry_points p
      where p.org_id = ${orgId} and p.series = decode(g.series, 'hex') and p.started_nanos = g.started_nanos
        and p.nanos < g.nanos and p.nanos >= ${from}::bigint * 1000000
      order by p.nanos desc limit 1) before on true
    left join lateral (
      select p.nanos, p.value from telemetry_points p
      where p.org_id = ${orgId} and p.series = decode(g.series, 'hex') and p.started_nanos = g.started_nanos
        and p.nanos > g.nanos
      order by p.nanos limit 1) after on true`);

export const insert = (tx: Db, orgId: OrgId, points: readonly PointRow[]) =>
  tx.run(sql`
    insert into telemetry_points (org_id, series, started_nanos, nanos, value)
    select ${orgId}, decode(g.series, 'hex'), g.started_nanos, g.nanos, g.value
    from unnest(${points.map(({ series }) => series)}::text[], ${points.map((one) => one.startedNanos)}::bigint[],
      ${points.map(({ nanos }) => nanos)}::bigint[], ${points.map(({ value }) => value)}::double precision[])
      as g(series, started_nanos, nanos, value)
    on conflict do nothing`);

/**
 * Deletes old points. The newest of a series is kept until `abandonedBefore`, because the next one is compared with it:
 * every start of a program begins new series, and most of them never continue.
 */
export const removeOld = (
  db: Db,
  orgId: OrgId,
  { before, abandonedBefore }: { before: number; abandonedBefore: number },
  limit: number,
) =>
  db.run(sql`
    delete from telemetry_points where org_id = ${orgId} and (series, started_nanos, nanos) in (
      select p.series, p.started_nanos, p.nanos from telemetry_points p
      where p.org_id = ${orgId} and p.nanos < ${before}::bigint * 1000000
        and (p.nanos < ${abandonedBefore}::bigint * 1000000
          or exists (select from telemetry_points n where n.org_id = p.org_id and n.series = p.series
            and n.started_nanos = p.started_nanos and n.nanos > p.nanos))
      limit ${limit})`);

/**
 * Deletes points of two days before `before` that are equal to both points next to them: programs export counters every
 * minute, also when they do not move.
 */
export const removeUnchanged = (db: Db, orgId: OrgId, before: number, limit: number) =>
  db.run(sql`
    delete from telemetry_points where org_id = ${orgId} and (series, started_nanos, nanos) in (
      select p.series, p.started_nanos, p.nanos from (
        select series, started_nanos, nanos, value, lag(value) over w as earlier, lead(value) over w as later
        from telemetry_points
        where org_id = ${orgId} and nanos < ${before}::bigint * 1000000
          and nanos >= (${before}::bigint - 172800000) * 1000000
        window w as (partition by series, started_nanos order by nanos)) p
      where p.earlier = p.value and p.later = p.value limit ${limit})`);

/** For a deleted organization. */
export const removeSome = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from telemetry_points where org_id = ${orgId} and ctid = any(array(
      select p.ctid from telemetry_points p where p.org_id = ${orgId} order by p.series limit ${limit}))`);
