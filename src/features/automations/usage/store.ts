import type { MemberId, OrgId } from "../../../platform/context.ts";
import { type Db, raw, type Sql, sql } from "../../../platform/db/index.ts";
import type { UsageGroup, UsageTotals } from "./contract.ts";

export interface UsageReport extends UsageTotals {
  runId: string;
  attempt: number;
  /** The event's sequence; -1 for the completion. */
  report: number;
  automationId: string;
  memberId: string;
  model: string | null;
}

const most = sql`9007199254740991`;
/** A sum that crosses the wire as a number, however much was reported. */
const total = (column: Sql) => sql`least(coalesce(sum(${column}), 0), ${most})::bigint`;
const month = sql`date_trunc('month', now() at time zone 'UTC')::date`;

/** The month's cost with this report in it, or undefined when the report was counted before. */
export const count = (db: Db, orgId: OrgId, usage: UsageReport) =>
  db.row<{ monthMicros: number; runMicros: number }>(sql`
    with counted as (
      insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, model,
        input_tokens, output_tokens, cost_micros)
      values (${usage.runId}, ${usage.attempt}, ${usage.report}, ${orgId}, ${usage.automationId}, ${usage.memberId},
        ${usage.model}, ${usage.inputTokens}, ${usage.outputTokens}, ${usage.costMicros})
      on conflict do nothing returning cost_micros
    ), spent as (
      insert into automation_spend as s (org_id, month, cost_micros)
      select ${orgId}, ${month}, cost_micros from counted
      on conflict (org_id, month) do update set cost_micros = least(s.cost_micros + excluded.cost_micros, ${most})
      returning s.cost_micros
    )
    select spent.cost_micros as "monthMicros", counted.cost_micros + (
      select ${total(sql`u.cost_micros`)} from automation_usage u where u.run_id = ${usage.runId}) as "runMicros"
    from spent, counted`);

export const findSpend = async (db: Db, orgId: OrgId): Promise<{ month: string; spentMicros: number }> =>
  (await db.row<{ month: string; spentMicros: number }>(sql`
    select to_char(this.month, 'YYYY-MM') as month, coalesce(s.cost_micros, 0) as "spentMicros"
    from (select ${month} as month) this
    left join automation_spend s on s.org_id = ${orgId} and s.month = this.month`))!;

const crossings = { warned: raw("warned_for"), exceeded: raw("stopped_for") };

/** True for the one caller who is to tell people that this budget was crossed. */
export const markCrossed = async (
  db: Db,
  orgId: OrgId,
  level: keyof typeof crossings,
  budgetMicros: number,
): Promise<boolean> =>
  (await db.run(sql`
    update automation_spend set ${crossings[level]} = ${budgetMicros}
    where org_id = ${orgId} and month = ${month} and ${crossings[level]} is distinct from ${budgetMicros}`)) ===
  1;

export const ofRun = async (db: Db, orgId: OrgId, runId: string): Promise<UsageTotals> =>
  (await db.row<UsageTotals>(sql`
    select ${total(sql`u.input_tokens`)} as "inputTokens", ${total(sql`u.output_tokens`)} as "outputTokens",
      ${total(sql`u.cost_micros`)} as "costMicros"
    from automation_usage u where u.run_id = ${runId} and u.org_id = ${orgId}`))!;

const keys = {
  run: raw("u.run_id"),
  automation: raw("u.automation_id"),
  member: raw("u.member_id"),
  model: raw(`coalesce(u.model, '')`),
  day: raw("to_char(u.reported_at at time zone 'UTC', 'YYYY-MM-DD')"),
};

export interface UsageFilter {
  /** null: of every member. */
  memberId: MemberId | string | null;
  automationId: string | null;
  fromAt: number | null;
  toAt: number | null;
}

const matching = (orgId: OrgId, { memberId, automationId, fromAt, toAt }: UsageFilter) => sql`
  u.org_id = ${orgId} and (${memberId}::text is null or u.member_id = ${memberId})
  and (${automationId}::text is null or u.automation_id = ${automationId})
  and (${fromAt}::bigint is null or u.reported_at >= to_timestamp(${fromAt}::bigint / 1000.0))
  and (${toAt}::bigint is null or u.reported_at < to_timestamp(${toAt}::bigint / 1000.0))`;

const sums = sql`count(distinct u.run_id)::int as runs, ${total(sql`u.input_tokens`)} as "inputTokens",
  ${total(sql`u.output_tokens`)} as "outputTokens", ${total(sql`u.cost_micros`)} as "costMicros"`;

export const list = (
  db: Db,
  orgId: OrgId,
  groupBy: keyof typeof keys,
  filter: UsageFilter,
  after: string | null,
  limit: number,
) =>
  db.rows<UsageGroup & { key: string }>(sql`
    select * from (
      select ${keys[groupBy]} collate "C" as key, ${sums} from automation_usage u
      where ${matching(orgId, filter)} group by 1) grouped
    where ${after}::text is null or key < ${after}
    order by key desc limit ${limit}`);

export const totals = async (db: Db, orgId: OrgId, filter: UsageFilter): Promise<UsageTotals> =>
  (await db.row<UsageTotals>(sql`
    select ${total(sql`u.input_tokens`)} as "inputTokens", ${total(sql`u.output_tokens`)} as "outputTokens",
      ${total(sql`u.cost_micros`)} as "costMicros"
    from automation_usage u where ${matching(orgId, filter)}`))!;

/** Who is told about money: owners and admins. */
export const listAdminEmails = (db: Db, orgId: OrgId) =>
  db.rows<{ email: string; organization: string }>(sql`
    select u.email, o.name as organization from members m
    join users u on u.id = m.user_id join organizations o on o.id = m.org_id
    where m.org_id = ${orgId} and m.role in ('owner', 'admin') order by m.id limit 50`);

export const removeSome = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from automation_usage where (run_id, attempt, report) in (
      select u.run_id, u.attempt, u.report from automation_usage u where u.org_id = ${orgId}
      order by u.reported_at limit ${limit})`);
