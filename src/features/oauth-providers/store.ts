import type { OrgId } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/index.ts";
import type { Server } from "../../platform/oauth/index.ts";
import type { CustomRow } from "./clients/index.ts";

interface NewCustomProvider {
  id: string;
  name: string;
  issuer: string | null;
  server: Server | null;
  scopes: readonly string[];
  createdBy: string;
  /** For an internal provider. */
  mcpConnectionId?: string;
}

/** Returns how many rows were added: 0 when the id exists. */
export const insert = (db: Db, orgId: OrgId, row: NewCustomProvider) =>
  db.run(sql`
    insert into oauth_providers (org_id, id, name, issuer, server, scopes, created_by, mcp_connection_id, discovered_at)
    values (${orgId}, ${row.id}, ${row.name}, ${row.issuer}, ${row.server ? JSON.stringify(row.server) : null}::jsonb,
      ${row.scopes}::text[], ${row.createdBy}, ${row.mcpConnectionId ?? null},
      ${row.mcpConnectionId && row.server ? new Date() : null})
    on conflict do nothing`);

export const list = (db: Db, orgId: OrgId) =>
  db.rows<CustomRow>(sql`
    select id, name, issuer, server, discovered_at as "discoveredAt", scopes from oauth_providers
    where org_id = ${orgId} and mcp_connection_id is null order by id`);

export const rename = (db: Db, orgId: OrgId, id: string, name: string) =>
  db.run(sql`update oauth_providers set name = ${name} where org_id = ${orgId} and id = ${id}`);

export const remove = (db: Db, orgId: OrgId, id: string) =>
  db.run(sql`delete from oauth_providers where org_id = ${orgId} and id = ${id}`);
