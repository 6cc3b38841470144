import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

/** They stay as if made by hand; what their versions say of commits stays true. */
export const release = (tx: Db, orgId: OrgId, connectorId: string) =>
  tx.run(sql`
    update templates set connector_id = null, path = null, source = null, commit_sha = null,
      commit_author = null
    where org_id = ${orgId} and connector_id = ${connectorId}`);

export const removeOfConnector = (tx: Db, orgId: OrgId, connectorId: string) =>
  tx.run(sql`delete from templates where org_id = ${orgId} and connector_id = ${connectorId}`);
