import type { OrgId } from "../../../../platform/context.ts";
import { type Db, filterOrder, raw, type Sql, sql } from "../../../../platform/db/index.ts";
import { smallestIdAt } from "../../../../platform/ids.ts";

/** Automations without an unsuccessful run in this time need no care. */
const windowDays = 30;
/** How many unsuccessful runs are looked at to find their automations. */
const maxRuns = raw("500");
/** How many runs of an automation are looked at. */
const maxStreak = raw("10");

const id = filterOrder(sql`r.id`);
const statuses = { failed: raw("'failed'"), skipped: raw("'skipped'") };
const isWithin = (reach: string | null, memberId: Sql) =>
  sql`(${reach}::text is null or ${memberId} = ${reach})`;
const recent = (orgId: OrgId, reach: string | null, status: keyof typeof statuses, first: string) => sql`
  select r.automation_id from automation_runs r
  where r.org_id = ${orgId} and r.status = ${statuses[status]} and ${id} >= ${first}
    and ${isWithin(reach, sql`r.member_id`)}
  order by ${id} desc limit ${maxRuns}`;
const isEnded = (reach: string | null) =>
  sql`r.status not in ('queued', 'running') and ${isWithin(reach, sql`r.member_id`)}`;

/**
 * Active automations whose last run that ended has this status, and one of these reasons unless they are null. With the
 * number of runs in a row that have the status. `reach` limits the automations and also the runs: an automation that got
 * another owner has runs of both.
 */
export const listUnsuccessful = (
  db: Db,
  orgId: OrgId,
  reach: string | null,
  status: keyof typeof statuses,
  reasons: readonly string[] | null,
  limit: number,
) =>
  db.rows<{
    id: string;
    name: string;
    ownerId: string | null;
    ownerName: string | null;
    runId: string;
    reason: string | null;
    message: string | null;
    count: number;
    since: number | null;
  }>(sql`
    select a.id, v.name, a.member_id as "ownerId",
      (select u.name from members m join users u on u.id = m.user_id where m.id = a.member_id) as "ownerName",
      last.id as "runId", last.reason, coalesce(last.error_message, last.reason_detail) as message,
      streak.count, streak.since
    from (select distinct r.automation_id from (
      ${recent(orgId, reach, status, smallestIdAt("run", Date.now() - windowDays * 86_400_000))}) r) found
    join automations a on a.id = found.automation_id and a.org_id = ${orgId} and a.status = 'active'
      and ${isWithin(reach, sql`a.member_id`)}
    join automation_revisions v on v.automation_id = a.id and v.revision = a.revision
    cross join lateral (
      select r.id, r.status, r.reason, r.error_message, r.reason_detail, r.finished_at from automation_runs r
      where r.automation_id = a.id and ${isEnded(reach)} order by ${id} desc limit 1) last
    cross join lateral (
      select count(*)::int as count, min(s.finished_at) as since from (
        select l.finished_at, bool_and(l.status = ${status}) over (order by l.id desc) as same from (
          select r.id, r.status, r.finished_at from automation_runs r
          where r.automation_id = a.id and ${isEnded(reach)} order by ${id} desc limit ${maxStreak}) l) s
      where s.same) streak
    where last.status = ${status} and (${reasons}::text[] is null or last.reason = any(${reasons}::text[]))
    order by last.finished_at desc limit ${limit}`);

/** Held reports. Stops counting at 1,000. */
export const findHeld = async (db: Db, orgId: OrgId) =>
  (await db.row<{ count: number; since: number | null }>(sql`
    select count(*)::int as count, min(u.reported_at) as since from (
      select u.reported_at from automation_usage u where u.org_id = ${orgId} and u.state = 'held' limit 1000) u`))!;
