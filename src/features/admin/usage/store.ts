import type { OrgId } from "../../../platform/context.ts";
import { type Db, raw, sql } from "../../../platform/db/index.ts";
import {
  type Days,
  listIncompleteDaysAcrossOrganizations,
  selectDayFigures,
} from "../../automations/index.ts";
import type { UsageFigures } from "./contract.ts";

export type { Days };

/** A sum that fits a JSON number. */
const total = (column: string) => sql`least(coalesce(sum(${raw(column)}), 0), 9007199254740991)::bigint`;

const sums = sql`${total("succeeded + failed + cancelled + skipped")} as runs, ${total("succeeded")} as succeeded,
  ${total("failed")} as failures, ${total("cancelled")} as cancelled, ${total("skipped")} as skipped,
  ${total("cost_micros")} as "costMicros", ${total("input_tokens")} as "inputTokens",
  ${total("output_tokens")} as "outputTokens", ${total("reports")} as reports,
  ${total("unpriced_reports")} as "unpricedReports", ${total("held_reports")} as "heldReports"`;

export const sumAcrossOrganizations = async (db: Db, days: Days): Promise<UsageFigures> => {
  const open = await listIncompleteDaysAcrossOrganizations(db, days);
  return (await db.row<UsageFigures>(sql`select ${sums} from (${selectDayFigures(days, open)}) f`))!;
};

const intervals = { day: raw("'day'"), week: raw("'week'"), month: raw("'month'") };
export type Interval = keyof typeof intervals;

export const sumByIntervalAcrossOrganizations = async (db: Db, days: Days, interval: Interval) => {
  const open = await listIncompleteDaysAcrossOrganizations(db, days);
  return db.rows<UsageFigures & { start: string }>(sql`
    select to_char(date_trunc(${intervals[interval]}, f.day), 'YYYY-MM-DD') as start, ${sums}
    from (${selectDayFigures(days, open)}) f group by 1`);
};

/** A position in the list of organizations by interval, newest interval first. */
export interface GroupPosition {
  start: string;
  organizationId: string;
}

export const listGroupsAcrossOrganizations = async (
  db: Db,
  days: Days,
  interval: Interval,
  after: GroupPosition | null,
  limit: number,
) => {
  const open = await listIncompleteDaysAcrossOrganizations(db, days);
  return db.rows<UsageFigures & { start: string; organizationId: OrgId; organizationName: string }>(sql`
    select s.*, o.name as "organizationName" from (
      select to_char(date_trunc(${intervals[interval]}, f.day), 'YYYY-MM-DD') collate "C" as start,
        f.org_id as "organizationId", ${sums}
      from (${selectDayFigures(days, open)}) f group by 1, 2) s
    join organizations o on o.id = s."organizationId"
    where ${after?.start ?? null}::text is null
      or (s.start, s."organizationId") < (${after?.start ?? null}, ${after?.organizationId ?? null})
    order by s.start desc, s."organizationId" desc limit ${limit}`);
};

/** The figures of each of these organizations in the whole period. An organization without any is not in the result. */
export const sumByOrganizationAcrossOrganizations = async (db: Db, days: Days, orgIds: readonly string[]) => {
  const open = await listIncompleteDaysAcrossOrganizations(db, days);
  return db.rows<UsageFigures & { organizationId: OrgId }>(sql`
    select f.org_id as "organizationId", ${sums} from (${selectDayFigures(days, open, orgIds)}) f group by 1`);
};
