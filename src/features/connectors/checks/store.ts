import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import { type TargetRow, targetColumns } from "../syncs/index.ts";

export const findTarget = (db: Db, orgId: OrgId, connectorId: string) =>
  db.row<TargetRow>(
    sql`select ${targetColumns} from connectors c where c.org_id = ${orgId} and c.id = ${connectorId}`,
  );
