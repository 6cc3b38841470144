import type { MemberId, OrgId } from "../../platform/context.ts";
import { type Db, emptySql, sql } from "../../platform/db/index.ts";
import type { Id } from "../../platform/ids.ts";
import type { DiscoverySummary, KeptDiscovery } from "./contract.ts";

export type DiscoveryId = Id<"mcd">;

const summary = sql`d.id, d.url, d.status, d.member_id as "memberId",
  (select u.name from members m join users u on u.id = m.user_id where m.id = d.member_id) as "memberName",
  jsonb_array_length(d.evidence) as requests, d.duration_ms as "durationMs", d.created_at as "createdAt"`;

export const insert = (
  db: Db,
  orgId: OrgId,
  memberId: MemberId,
  {
    id,
    url,
    status,
    result,
    evidence,
    durationMs,
  }: Omit<KeptDiscovery, "memberId" | "memberName" | "requests" | "createdAt">,
) =>
  db.row<KeptDiscovery>(sql`
    insert into mcp_discoveries as d (id, org_id, member_id, url, status, result, evidence, duration_ms)
    values (${id}, ${orgId}, ${memberId}, ${url}, ${status}, ${JSON.stringify(result)}::text::jsonb,
      ${JSON.stringify(evidence)}::text::jsonb, ${durationMs})
    returning ${summary}, d.result, d.evidence`);

/** Removes all but the newest `keep` verdicts. */
export const removeBeyond = (db: Db, orgId: OrgId, keep: number) =>
  db.run(sql`
    delete from mcp_discoveries where org_id = ${orgId} and id in (
      select d.id from mcp_discoveries d where d.org_id = ${orgId} order by d.id desc offset ${keep})`);

/** An organization keeps few verdicts, so a filter needs no index. */
export const list = (
  db: Db,
  orgId: OrgId,
  status: DiscoverySummary["status"] | null,
  after: string,
  limit: number,
) =>
  db.rows<DiscoverySummary>(sql`
    select ${summary} from mcp_discoveries d
    where d.org_id = ${orgId} and d.id < ${after} ${status === null ? emptySql : sql`and d.status = ${status}`}
    order by d.id desc limit ${limit}`);

export const find = (db: Db, orgId: OrgId, id: DiscoveryId) =>
  db.row<KeptDiscovery>(sql`
    select ${summary}, d.result, d.evidence from mcp_discoveries d where d.org_id = ${orgId} and d.id = ${id}`);

export const remove = (db: Db, orgId: OrgId, id: DiscoveryId) =>
  db.row<{ id: DiscoveryId; url: string; status: string }>(
    sql`delete from mcp_discoveries where org_id = ${orgId} and id = ${id} returning id, url, status`,
  );

export const removeOldAcrossOrganizations = (db: Db, days: number) =>
  db.run(sql`delete from mcp_discoveries where created_at < now() - make_interval(days => ${days}::int)`);
