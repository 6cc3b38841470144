import type { MemberId, OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

export const find = (db: Db, orgId: OrgId, workerId: string) =>
  db.row<{ memberId: MemberId | null; permissions: string[] }>(sql`
    select member_id as "memberId", runner_permissions as permissions from workers
    where org_id = ${orgId} and id = ${workerId}`);
