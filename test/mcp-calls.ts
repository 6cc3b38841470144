import { findUsable } from "../src/features/mcp-connections/access/index.ts";
import type { Limits, Policy, UsableConnection } from "../src/features/mcp-connections/model.ts";
import { recordListing } from "../src/features/mcp-connections/tools/index.ts";
import { listUpstreamTools } from "../src/features/mcp-connections/upstream/index.ts";
import type { MemberCtx, MemberId, OrgId, UserId } from "../src/platform/context.ts";
import { sql } from "../src/platform/db/index.ts";
import { newId } from "../src/platform/ids.ts";
import type { Person, TestServer } from "./harness.ts";
import { grantToAll, seedMcpConnection } from "./mcp-connections.ts";

/** The context of a request of this member with an MCP token. */
export async function createMemberCtx(
  server: Pick<TestServer, "platform">,
  orgId: string,
  person: Pick<Person, "userId">,
): Promise<MemberCtx> {
  const row = await server.platform.db.row<{ id: MemberId; orgId: OrgId; userId: UserId; role: string }>(sql`
    select id, org_id as "orgId", user_id as "userId", role from members
    where org_id = ${orgId} and user_id = ${person.userId}`);
  if (!row) throw new Error("This person is no member.");
  const permissions = new Set(["mcp_connections:use"]);
  const member = { id: row.id, orgId: row.orgId, role: row.role, permissions, isSuspended: false };
  return {
    ...server.platform,
    requestId: "req_test",
    address: "127.0.0.1",
    userAgent: "test",
    userId: row.userId,
    orgId: row.orgId,
    member,
    permissions,
    caller: {
      principal: "member",
      userId: row.userId,
      member,
      credential: "mcp",
      credentialId: newId("mct"),
    },
  };
}

export interface CallableOptions {
  name?: string;
  policy?: Partial<Policy>;
  limits?: Partial<Limits>;
  logPayloads?: boolean;
}

/** A connection to a server without a credential, for everybody, with its first tools approved. */
export async function connectMcpServer(
  server: Pick<TestServer, "platform">,
  workspace: { orgId: string; owner: Pick<Person, "userId"> },
  url: string,
  {
    name = "Issue tracker",
    policy = { onDrift: "warn" },
    limits = {},
    logPayloads = false,
  }: CallableOptions = {},
): Promise<{ ctx: MemberCtx; connection: UsableConnection }> {
  const { platform } = server;
  const seeded = await seedMcpConnection(server, workspace, { url, policy });
  await grantToAll(server, seeded);
  await platform.db.run(sql`
    update mcp_connections set name = ${name}, limits = ${JSON.stringify(limits)}::text::jsonb,
      log_payloads = ${logPayloads} where id = ${seeded.id}`);
  const ctx = await createMemberCtx(server, workspace.orgId, workspace.owner);
  const connection = await findUsable(ctx, seeded.id);
  if (!connection) throw new Error("The connection cannot be used.");
  await recordListing(platform, connection, await listUpstreamTools(platform, connection, {}));
  return { ctx, connection };
}

/** Writes a call of a connection that was deleted since. */
export async function seedMcpCall(server: TestServer, orgId: string): Promise<string> {
  const id = newId("mcl");
  await server.platform.db.run(sql`
    insert into mcp_calls (org_id, id, connection_id, credential, credential_id, tool, outcome, ms, request_bytes,
      result_bytes, created_at)
    values (${orgId}, ${id}, ${newId("mcn")}, 'mcp', ${newId("mct")}, 'echo', 'ok', 12, 16, 40, now())`);
  return id;
}
