import type { MemberId, OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

/** The worker is not removed before the transaction ends. Its runner is locked afterwards, as in a removal. */
export const keep = (tx: Db, orgId: OrgId, workerId: string) =>
  tx.row<{ id: string }>(
    sql`select id from workers where org_id = ${orgId} and id = ${workerId} for key share`,
  );

export const find = (db: Db, orgId: OrgId, workerId: string) =>
  db.row<{ memberId: MemberId | null; permissions: string[] }>(sql`
    select member_id as "memberId", runner_permissions as permissions from workers
    where org_id = ${orgId} and id = ${workerId}`);
