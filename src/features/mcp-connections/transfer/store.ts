import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { ConnectionId } from "../model.ts";

export interface SavedAddress {
  id: ConnectionId;
  name: string;
  url: string;
  /** The whole address, sealed, when `url` hides a part of it. */
  sealedUrl: string | null;
}

/** All connections of the organization, oldest first. */
export const listAddresses = (db: Db, orgId: OrgId) =>
  db.rows<SavedAddress>(sql`
    select id, name, url, sealed_url as "sealedUrl" from mcp_connections where org_id = ${orgId} order by id`);
