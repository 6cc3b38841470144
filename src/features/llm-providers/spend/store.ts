import type { OrgId } from "../../../platform/context.ts";
import { type Db, type Sql, sql } from "../../../platform/db/index.ts";

/** Where a cost is counted: the day in UTC, and the organization, teams, member and provider. */
export interface Attribution {
  day: string;
  subjectIds: string[];
}

/** A query of the ids that a cost belongs to: the organization, the member, the member's teams now, and the provider. */
export const selectSubjects = (orgId: OrgId, memberId: string | null, providerId: string | null): Sql => sql`
  select ${orgId}::text as id
  union all select x.team_id from team_members x where x.org_id = ${orgId} and x.member_id = ${memberId}
  union all select m.id from members m where m.org_id = ${orgId} and m.id = ${memberId}
  union all select p.id from llm_providers p where p.org_id = ${orgId} and p.id = ${providerId}`;

export const listSubjects = async (
  db: Db,
  orgId: OrgId,
  memberId: string | null,
  providerId: string | null,
): Promise<string[]> =>
  (await db.rows<{ id: string }>(selectSubjects(orgId, memberId, providerId))).map(({ id }) => id);

/**
 * A statement that adds differences to the sums. `rows` is a query of `subject_id`, `day` and `micros`. The sum of the
 * organization is first, so that two transactions that count several costs never wait for each other in a circle.
 */
export const addToSums = (orgId: OrgId, rows: Sql): Sql => sql`
  insert into llm_spend as s (org_id, subject_id, day, cost_micros)
  select ${orgId}, n.subject_id, n.day, sum(n.micros)::bigint from (${rows}) n where n.micros <> 0
  group by n.subject_id, n.day order by n.subject_id <> ${orgId}, n.day, n.subject_id collate "C"
  on conflict (org_id, subject_id, day) do update
  set cost_micros = least(s.cost_micros::numeric + excluded.cost_micros, 9223372036854775807)::bigint`;

export const add = (
  tx: Db,
  orgId: OrgId,
  rows: readonly { subjectId: string; day: string; micros: number }[],
) =>
  tx.run(
    addToSums(
      orgId,
      sql`select * from unnest(${rows.map(({ subjectId }) => subjectId)}::text[], ${rows.map(({ day }) => day)}::date[],
        ${rows.map(({ micros }) => micros)}::bigint[]) u (subject_id, day, micros)`,
    ),
  );

/** Days that no period of a budget contains any more. */
export const removeOldAcrossOrganizations = (db: Db, days: number, limit: number) =>
  db.run(sql`
    delete from llm_spend where (org_id, subject_id, day) in (
      select s.org_id, s.subject_id, s.day from llm_spend s
      where s.day < (now() at time zone 'UTC')::date - ${days}::int limit ${limit})`);

/** For a deleted organization. */
export const removeSome = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from llm_spend where org_id = ${orgId} and ctid = any(array(
      select s.ctid from llm_spend s where s.org_id = ${orgId} order by s.subject_id limit ${limit}))`);
