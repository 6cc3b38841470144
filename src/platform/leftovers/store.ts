import type { OrgId } from "../context.ts";
import { type Db, sql } from "../db/index.ts";

export interface DeletedOrganization {
  orgId: OrgId;
  isSettled: boolean;
}

/**
 * Deleted organizations with rows that are not removed yet. `isSettled`: no statement that began before the deletion
 * still runs, so no row can follow.
 */
export const listAcrossOrganizations = (db: Db, after: string, limit: number) =>
  db.rows<DeletedOrganization>(sql`
    select l.org_id as "orgId", l.deleted_at < now() - interval '10 minutes' as "isSettled"
    from organization_leftovers l
    where l.org_id > ${after} and not exists (select from organizations o where o.id = l.org_id)
    order by l.org_id limit ${limit}`);

export const removeMark = (db: Db, orgId: OrgId) =>
  db.run(sql`delete from organization_leftovers where org_id = ${orgId}`);
