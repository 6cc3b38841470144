import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

/** When the first object of each kind that still exists was created. */
export const findFirstTimes = async (db: Db, orgId: OrgId) =>
  (await db.row<{
    discoveryAt: number | null;
    connectionAt: number | null;
    runAt: number | null;
    connectorAt: number | null;
    invitationAt: number | null;
    secondMemberAt: number | null;
  }>(sql`
    select
      (select d.created_at from mcp_discoveries d where d.org_id = ${orgId} order by d.id limit 1) as "discoveryAt",
      (select c.created_at from oauth_connections c where c.org_id = ${orgId} order by c.id limit 1) as "connectionAt",
      (select r.created_at from automation_runs r where r.org_id = ${orgId} order by r.id limit 1) as "runAt",
      (select c.created_at from connectors c where c.org_id = ${orgId} order by c.id limit 1) as "connectorAt",
      (select i.created_at from invitations i where i.org_id = ${orgId} order by i.id limit 1) as "invitationAt",
      (select m.created_at from members m where m.org_id = ${orgId} order by m.id collate "POSIX" offset 1 limit 1)
        as "secondMemberAt"`))!;
