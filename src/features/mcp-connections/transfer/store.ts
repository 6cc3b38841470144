import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { ConnectionId } from "../model.ts";

export interface SavedAddress {
  id: ConnectionId;
  name: string;
  url: string;
}

/** All connections of the organization, oldest first. */
export const listAddresses = (db: Db, orgId: OrgId): Promise<SavedAddress[]> =>
  db.rows<SavedAddress>(sql`
    select id, name, url from mcp_connections where org_id = ${orgId} order by id`);
