import { findConnection } from "../src/features/mcp-connections/access/index.ts";
import { recordListing } from "../src/features/mcp-connections/tools/index.ts";
import { listUpstreamTools } from "../src/features/mcp-connections/upstream/index.ts";
import { sql } from "../src/platform/db/index.ts";
import { isId } from "../src/platform/ids.ts";
import type { TestServer, Workspace } from "./harness.ts";
import { grantToAll, type SeededConnection, seedMcpConnection } from "./mcp-connections.ts";

/** Writes a connection with approved tools to the database: `tool_1`, `tool_2`, and so on. */
export async function seedTools(
  server: TestServer,
  workspace: Pick<Workspace, "orgId" | "owner">,
  count: number,
): Promise<SeededConnection> {
  const connection = await seedMcpConnection(server, workspace);
  await grantToAll(server, connection);
  await server.platform.db.run(sql`
    insert into mcp_tools (connection_id, org_id, name, approved, approved_hash, approved_at, latest, latest_hash)
    select ${connection.id}, ${connection.orgId}, d.definition->>'name', d.definition, 'hash', now(), d.definition, 'hash'
    from generate_series(1, ${count}) n, lateral (select jsonb_build_object('name', 'tool_' || n,
      'description', 'The tool with the number ' || n, 'inputSchema',
      '{"type":"object","properties":{"text":{"type":"string"}}}'::jsonb) as definition) d`);
  return connection;
}

/** Lists the tools of a connection that needs no credential, and records them, as the regular check does. */
export async function listNow({ platform }: TestServer, orgId: string, id: string): Promise<void> {
  if (!isId("org", orgId) || !isId("mcn", id)) throw new Error("This is no connection.");
  const connection = await findConnection(platform, orgId, id);
  if (!connection) throw new Error("There is no such connection.");
  await recordListing(platform, connection, await listUpstreamTools(platform, connection, {}));
}
