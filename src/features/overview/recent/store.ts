import type { OrgId } from "../../../platform/context.ts";
import { type Db, filterOrder, sql } from "../../../platform/db/index.ts";
import type { EndedRun } from "./contract.ts";

/**
 * The newest changes that people or a directory made. What machines did, such as each hand-out of a key, is left out;
 * for that, a limited number of entries is examined.
 */
export const listChanges = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<{
    id: string;
    at: number;
    action: string;
    actorName: string | null;
    actorMemberId: string | null;
    targetType: string;
    targetId: string | null;
    before: string | null;
    after: string | null;
  }>(sql`
    select e.id, e.at, e.action, e.actor_name as "actorName", e.actor_member_id as "actorMemberId",
      e.target_type as "targetType", e.target_id as "targetId",
      e.before::text as before, e.after::text as after
    from (select * from audit_events e where e.scope = ${orgId} order by e.id desc limit 500) e
    where e.credential in ('session', 'key', 'mcp', 'scim') order by e.id desc limit ${limit}`);

const columns = sql`r.id, r.finished_at as at, r.automation_id as "automationId", r.status, r.reason,
  (select v.name from automation_revisions v
    where v.automation_id = r.automation_id and v.revision = r.revision) as "automationName",
  (select u.name from members m join users u on u.id = m.user_id
    where m.id = r.member_id and m.org_id = r.org_id) as "memberName"`;

type Row = Omit<EndedRun, "type">;

/** The runs that ended last. */
export const listEndedRuns = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<Row>(sql`
    select ${columns} from automation_runs r
    where r.org_id = ${orgId} and r.finished_at is not null order by r.finished_at desc limit ${limit}`);

/** Of the newest runs of a member, those that have ended. */
export const listEndedRunsOfMember = (db: Db, orgId: OrgId, memberId: string, limit: number) =>
  db.rows<Row>(sql`
    select ${columns} from automation_runs r
    where r.org_id = ${orgId} and r.member_id = ${memberId} and r.finished_at is not null
    order by ${filterOrder(sql`r.id`)} desc limit ${limit}`);
