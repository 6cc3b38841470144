import type { OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import type { LlmBudget } from "./contract.ts";

export type BudgetId = Id<"lbg">;

export interface BudgetRow extends Pick<LlmBudget, "period" | "mode" | "limitMicros" | "warningPercent"> {
  id: BudgetId;
  subjectKind: LlmBudget["subject"]["kind"];
  subjectId: string;
  subjectName: string | null;
  spentMicros: number;
  /** The first day of the period in UTC. */
  periodStart: string;
  periodStartAt: number;
  resetsAt: number;
  createdAt: number;
  updatedAt: number;
}

const start = sql`date_trunc(b.period, now() at time zone 'UTC')`;

const columns = sql`b.id, b.subject_kind as "subjectKind", b.subject_id as "subjectId", b.period, b.mode,
  b.limit_micros as "limitMicros", b.warning_percent as "warningPercent",
  (select case b.subject_kind
    when 'team' then (select t.name from teams t where t.id = b.team_id)
    when 'member' then (select u.name from members m join users u on u.id = m.user_id where m.id = b.member_id)
    when 'provider' then (select p.name from llm_providers p where p.id = b.provider_id)
    else (select o.name from organizations o where o.id = b.org_id) end) as "subjectName",
  least(greatest(coalesce((select sum(s.cost_micros) from llm_spend s where s.org_id = b.org_id
    and s.subject_id = b.subject_id and s.day >= ${start}::date), 0), 0), 9007199254740991)::bigint as "spentMicros",
  to_char(${start}, 'YYYY-MM-DD') as "periodStart", ${start} at time zone 'UTC' as "periodStartAt",
  (${start} + ('1 ' || b.period)::interval) at time zone 'UTC' as "resetsAt",
  b.created_at as "createdAt", b.updated_at as "updatedAt"`;

/** Only budgets of these subjects. Null: all. */
const isOf = (subjectIds: readonly string[] | null) =>
  subjectIds === null ? emptySql : sql`and b.subject_id = any(${subjectIds}::text[])`;

export const list = (
  db: Db,
  orgId: OrgId,
  subjectIds: readonly string[] | null,
  after: string,
  limit: number,
) =>
  db.rows<BudgetRow>(sql`
    select ${columns} from llm_budgets b where b.org_id = ${orgId} and b.id < ${after} ${isOf(subjectIds)}
    order by b.id desc limit ${limit}`);

/** Of the newest budgets, those whose warning or limit is reached in the current period. */
export const listCrossed = (db: Db, orgId: OrgId, subjectIds: readonly string[] | null, limit: number) =>
  db.rows<BudgetRow>(sql`
    select * from (
      select ${columns} from llm_budgets b where b.org_id = ${orgId} ${isOf(subjectIds)}
      order by b.id desc limit 500) b
    where b."spentMicros" >= b."limitMicros"::numeric * b."warningPercent" / 100
    order by b."spentMicros" >= b."limitMicros" desc, b.id desc limit ${limit}`);

export const find = (db: Db, orgId: OrgId, subjectIds: readonly string[] | null, id: BudgetId) =>
  db.row<BudgetRow>(sql`
    select ${columns} from llm_budgets b where b.org_id = ${orgId} and b.id = ${id} ${isOf(subjectIds)}`);

export const lock = (tx: Db, orgId: OrgId, id: BudgetId) =>
  tx.row<BudgetRow>(sql`
    select ${columns} from llm_budgets b where b.org_id = ${orgId} and b.id = ${id} for no key update`);

/** All budgets of these subjects, with what is spent. */
export const listOfSubjects = (db: Db, orgId: OrgId, subjectIds: readonly string[]) =>
  db.rows<BudgetRow>(sql`
    select ${columns} from llm_budgets b
    where b.org_id = ${orgId} and b.subject_id = any(${subjectIds}::text[]) order by b.id`);

export interface NewBudget
  extends Pick<BudgetRow, "id" | "period" | "mode" | "limitMicros" | "warningPercent"> {
  subjectKind: BudgetRow["subjectKind"];
  subjectId: string;
  createdBy: string | null;
}

/** Returns 0 when the subject does not belong to the organization. */
export const insert = (tx: Db, orgId: OrgId, budget: NewBudget) =>
  tx.run(sql`
    insert into llm_budgets (id, org_id, subject_kind, team_id, member_id, provider_id, period, mode, limit_micros,
      warning_percent, created_by)
    select ${budget.id}, o.id, ${budget.subjectKind}, t.id, m.id, p.id, ${budget.period}, ${budget.mode},
      ${budget.limitMicros}, ${budget.warningPercent}, ${budget.createdBy}
    from organizations o
    left join teams t on ${budget.subjectKind} = 'team' and t.id = ${budget.subjectId} and t.org_id = o.id
    left join members m on ${budget.subjectKind} = 'member' and m.id = ${budget.subjectId} and m.org_id = o.id
    left join llm_providers p on ${budget.subjectKind} = 'provider' and p.id = ${budget.subjectId} and p.org_id = o.id
    where o.id = ${orgId}
      and (${budget.subjectKind} = 'organization' or coalesce(t.id, m.id, p.id) is not null)`);

export const update = (
  tx: Db,
  orgId: OrgId,
  id: BudgetId,
  { mode, limitMicros, warningPercent }: Pick<BudgetRow, "mode" | "limitMicros" | "warningPercent">,
) =>
  tx.run(sql`
    update llm_budgets set mode = ${mode}, limit_micros = ${limitMicros}, warning_percent = ${warningPercent},
      updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

export const remove = (tx: Db, orgId: OrgId, id: BudgetId) =>
  tx.run(sql`delete from llm_budgets where org_id = ${orgId} and id = ${id}`);

/** Marks a level as reached. Returns 1 to the first caller, who announces it, and 0 to others. */
export const markCrossed = (
  tx: Db,
  orgId: OrgId,
  { id, periodStart, limitMicros }: Pick<BudgetRow, "id" | "periodStart" | "limitMicros">,
  level: "warned" | "exceeded",
) =>
  tx.run(sql`
    insert into llm_budget_crossings (budget_id, period_start, level, limit_micros)
    select b.id, ${periodStart}::date, ${level}, ${limitMicros} from llm_budgets b
    where b.org_id = ${orgId} and b.id = ${id} on conflict do nothing`);

/** The monthly budget of the organization. */
export const findOrganizationBudget = (db: Db, orgId: OrgId) =>
  db.row<{ id: BudgetId; mode: BudgetRow["mode"]; limitMicros: number; warningPercent: number }>(sql`
    select b.id, b.mode, b.limit_micros as "limitMicros", b.warning_percent as "warningPercent" from llm_budgets b
    where b.org_id = ${orgId} and b.subject_id = ${orgId} and b.period = 'month'`);

/** Locks the monthly budget of the organization, if there is one, until the transaction ends. */
export const lockOrganizationBudget = (tx: Db, orgId: OrgId) =>
  tx.run(sql`
    select b.id from llm_budgets b
    where b.org_id = ${orgId} and b.subject_id = ${orgId} and b.period = 'month' for no key update`);

/** Creates the monthly budget of the organization, or changes the one that exists, also when it is an alert. */
export const saveOrganizationBudget = (
  tx: Db,
  orgId: OrgId,
  budget: Pick<NewBudget, "id" | "limitMicros" | "warningPercent" | "createdBy">,
) =>
  tx.run(sql`
    insert into llm_budgets (id, org_id, subject_kind, period, mode, limit_micros, warning_percent, created_by)
    values (${budget.id}, ${orgId}, 'organization', 'month', 'budget', ${budget.limitMicros}, ${budget.warningPercent},
      ${budget.createdBy})
    on conflict (org_id, subject_id, period) do update
    set mode = excluded.mode, limit_micros = excluded.limit_micros, warning_percent = excluded.warning_percent,
      updated_at = now()`);

/** An alert stays. */
export const removeOrganizationBudget = (tx: Db, orgId: OrgId) =>
  tx.run(sql`
    delete from llm_budgets where org_id = ${orgId} and subject_id = ${orgId} and period = 'month' and mode = 'budget'`);

/** What the organization spent in this month. */
export const findMonth = async (db: Db, orgId: OrgId): Promise<{ month: string; spentMicros: number }> =>
  (await db.row<{ month: string; spentMicros: number }>(sql`
    select to_char(this.start, 'YYYY-MM') as month,
      least(greatest(coalesce((select sum(s.cost_micros) from llm_spend s
        where s.org_id = ${orgId} and s.subject_id = ${orgId} and s.day >= this.start), 0), 0),
        9007199254740991)::bigint as "spentMicros"
    from (select date_trunc('month', now() at time zone 'UTC')::date as start) this`))!;
