import type { OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, raw, type Sql, sql } from "../../../platform/db/index.ts";
import { completionReport } from "../costs/index.ts";
import type { HeldReport, ReportedUsage, UsageReportView } from "./contract.ts";

/** The name that is shown for a key. */
const selectName = {
  automation: (id: Sql, orgId: Sql) => sql`(select v.name from automations a
    join automation_revisions v on v.automation_id = a.id and v.revision = a.revision
    where a.id = ${id} and a.org_id = ${orgId})`,
  member: (id: Sql, orgId: Sql) => sql`(select p.name from members m join users p on p.id = m.user_id
    where m.id = ${id} and m.org_id = ${orgId})`,
  run: (id: Sql, orgId: Sql) => sql`(select v.name from automation_runs r
    join automation_revisions v on v.automation_id = r.automation_id and v.revision = r.revision
    where r.id = ${id} and r.org_id = ${orgId})`,
};
const completion = raw(String(completionReport));

/** Stops counting at `max`. */
export const countHeld = async (db: Db, orgId: OrgId, max: number): Promise<number> =>
  (await db.row<{ count: number }>(
    sql`select count(*)::int as count from (
      select from automation_usage where org_id = ${orgId} and state = 'held' limit ${max}) held`,
  ))!.count;

export interface Position {
  runId: string;
  attempt: number;
  report: number;
}

export const listHeld = (db: Db, orgId: OrgId, after: Position | null, limit: number) =>
  db.rows<HeldReport>(sql`
    select u.run_id as "runId", u.attempt, nullif(u.report, ${completion}) as sequence,
      u.automation_id as "automationId", ${selectName.automation(sql`u.automation_id`, sql`u.org_id`)} as "automationName",
      u.member_id as "memberId", ${selectName.member(sql`u.member_id`, sql`u.org_id`)} as "memberName", u.model, u.reported,
      u.reported_at as "reportedAt"
    from automation_usage u
    where u.org_id = ${orgId} and u.state = 'held' ${
      after === null
        ? emptySql
        : sql`and (u.run_id, u.attempt, u.report) < (${after.runId}, ${after.attempt}::int, ${after.report}::bigint)`
    }
    order by u.run_id desc, u.attempt desc, u.report desc limit ${limit}`);

const matchesReport = (orgId: OrgId, { runId, attempt, report }: Position) => sql`
  u.org_id = ${orgId} and u.run_id = ${runId} and u.attempt = least(${attempt}::bigint, 2147483647)::int
  and u.report = ${report}`;

/** Locks a report. `reported` has the figures that were sent; the others are the figures that count. */
export const lockReport = (tx: Db, orgId: OrgId, place: Position) =>
  tx.row<
    Record<"inputTokens" | "outputTokens" | "costMicros", number> & {
      state: string;
      reported: ReportedUsage;
      day: string;
      subjectIds: string[];
    }
  >(sql`
    select u.input_tokens as "inputTokens", u.output_tokens as "outputTokens", u.cost_micros as "costMicros",
      u.state, coalesce(u.reported, ${figures}) as reported,
      to_char(coalesce(u.spend_day, (u.reported_at at time zone 'UTC')::date), 'YYYY-MM-DD') as day,
      coalesce(u.spend_subjects, array[u.org_id, u.member_id]) as "subjectIds"
    from automation_usage u where ${matchesReport(orgId, place)} for update`);

const figures = sql`jsonb_build_object('inputTokens', u.input_tokens, 'outputTokens', u.output_tokens,
  'costMicros', case when u.cost_source <> 'unpriced' then u.cost_micros end)`;

/** Replaces the figures that count. The caller has locked the report, and changes what was spent. */
export const replaceFigures = (
  tx: Db,
  orgId: OrgId,
  place: Position,
  usage: Record<"inputTokens" | "outputTokens" | "costMicros", number>,
) =>
  tx.run(sql`
    update automation_usage u set input_tokens = ${usage.inputTokens}, output_tokens = ${usage.outputTokens},
      cost_micros = ${usage.costMicros}, state = 'corrected', cost_source = 'reported',
      reported = coalesce(u.reported, ${figures})
    where ${matchesReport(orgId, place)}`);

/** The reports of a run, in their order. */
export const listReports = (
  db: Db,
  orgId: OrgId,
  runId: string,
  after: Pick<Position, "attempt" | "report"> | null,
  limit: number,
) =>
  db.rows<UsageReportView>(sql`
    select u.attempt, nullif(u.report, ${completion}) as sequence, u.model, u.provider, u.input_tokens as "inputTokens",
      u.output_tokens as "outputTokens", u.cache_read_tokens as "cacheReadTokens",
      u.cache_write_tokens as "cacheWriteTokens",
      case when u.cost_source <> 'unpriced' then u.cost_micros end as "costMicros", u.cost_source as "costSource",
      u.price, (u.previous ->> 'costMicros')::bigint as "previousCostMicros", u.recomputed_at as "recomputedAt",
      u.state, u.reported_at as "reportedAt"
    from automation_usage u
    where u.org_id = ${orgId} and u.run_id = ${runId} ${
      after === null
        ? emptySql
        : sql`and (u.attempt, u.report) > (${after.attempt}::int, ${after.report}::bigint)`
    }
    order by u.attempt, u.report limit ${limit}`);

export const listNames = (db: Db, orgId: OrgId, of: keyof typeof selectName, keys: readonly string[]) =>
  db.rows<{ key: string; name: string | null }>(sql`
    select k.key, ${selectName[of](sql`k.key`, sql`${orgId}`)} as name from unnest(${keys}::text[]) k (key)`);

export const removeSome = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from automation_usage where org_id = ${orgId} and (run_id, attempt, report) in (
      select u.run_id, u.attempt, u.report from automation_usage u where u.org_id = ${orgId}
      order by u.reported_at limit ${limit})`);
