import type { OrgId } from "../../../platform/context.ts";
import { type Db, pageBytes, sql } from "../../../platform/db/index.ts";
import type { LateReport } from "./contract.ts";

export interface NewLateReport {
  id: string;
  kind: LateReport["kind"];
  attempt: number;
  sequence: number | null;
  body: string;
  digest: string;
}

/** The number of late reports of one run is limited, so that they cannot fill the disk. */
const maxPerRun = 1000;

/** Ignores reports that exist already or exceed the limit. */
export const insert = (
  db: Db,
  orgId: OrgId,
  runId: string,
  reporter: string,
  reports: readonly NewLateReport[],
) =>
  db.run(sql`
    insert into automation_late_reports (id, run_id, attempt, sequence, kind, reporter, body, digest)
    select g.id, r.id, g.attempt, g.sequence, g.kind, ${reporter}, g.body::json, g.digest
    from automation_runs r, unnest(${reports.map((one) => one.id)}::text[], ${reports.map((one) => one.attempt)}::bigint[],
      ${reports.map((one) => one.sequence)}::bigint[], ${reports.map((one) => one.kind)}::text[],
      ${reports.map((one) => one.body)}::text[], ${reports.map((one) => one.digest)}::text[])
      with ordinality as g(id, attempt, sequence, kind, body, digest, n)
    where r.id = ${runId} and r.org_id = ${orgId}
      and g.n + (select count(*) from automation_late_reports l where l.run_id = r.id) <= ${maxPerRun}
    on conflict (run_id, digest) do nothing`);

/**
 * Late reports before an id, newest first; fewer than `limit` when their bodies are large. Undefined when the caller may
 * not read the run, or it does not exist.
 */
export async function list(
  db: Db,
  orgId: OrgId,
  reach: string | null,
  runId: string,
  after: string,
  limit: number,
): Promise<{ items: LateReport[]; more: boolean } | undefined> {
  type Row = LateReport & { found: number };
  const rows = await db.rows<Row | { id: null }>(sql`
    select l.id, l.kind, l.attempt, l.sequence, l.reporter, l.body, l.received_at as "receivedAt", l.found
    from automation_runs r
    left join lateral (
      select * from (
        select l.*, row_number() over page as n, sum(octet_length(l.body::text)) over page as bytes,
          count(*) over () as found
        from (
          select * from automation_late_reports l where l.run_id = r.id and l.id < ${after}
          order by l.id desc limit ${limit + 1}) l
        window page as (order by l.id desc)) paged
      where n = 1 or bytes <= ${pageBytes}::bigint
      order by id desc limit ${limit}) l on true
    where r.id = ${runId} and r.org_id = ${orgId} and (${reach}::text is null or r.member_id = ${reach})
    order by l.id desc`);
  if (rows.length === 0) return undefined;
  const reports = rows.filter((row): row is Row => row.id !== null);
  return {
    items: reports.map(({ found: _, ...report }) => report),
    more: reports.length > 0 && reports[0]!.found > reports.length,
  };
}

export const removeByRun = (db: Db, orgId: OrgId, runId: string) =>
  db.run(sql`
    delete from automation_late_reports l using automation_runs r
    where r.id = l.run_id and r.org_id = ${orgId} and l.run_id = ${runId}`);
