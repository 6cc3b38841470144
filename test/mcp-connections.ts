import { computeRevision } from "../src/features/mcp-connections/tools/recording/index.ts";
import { toProviderId } from "../src/features/oauth-providers/index.ts";
import type { OrgId } from "../src/platform/context.ts";
import { sql } from "../src/platform/db/index.ts";
import { type Id, isId, newId } from "../src/platform/ids.ts";
import type { Person, TestServer, Workspace } from "./harness.ts";
import { seedConnection } from "./oauth.ts";

export interface SeededConnection {
  id: Id<"mcn">;
  orgId: OrgId;
  name: string;
  slug: string;
  url: string;
  registration: "none" | "bearer" | "pre_registered";
}

/** Writes a connection to the database, without discovery and without tools. */
export async function seedMcpConnection(
  server: Pick<TestServer, "platform">,
  workspace: { orgId: string; owner: Pick<Person, "userId"> },
  {
    url = "http://127.0.0.1:60998/mcp",
    credential = "shared",
    registration = "none",
    policy = {},
  }: {
    url?: string;
    credential?: "shared" | "per_member";
    registration?: "none" | "bearer" | "pre_registered";
    policy?: Record<string, unknown>;
  } = {},
): Promise<SeededConnection> {
  const { orgId: ownerOrgId, owner } = workspace;
  if (!isId("org", ownerOrgId)) throw new Error("This is no organization.");
  const orgId: OrgId = ownerOrgId;
  const id = newId("mcn");
  const slug = `tracker-${id.slice(-6)}`;
  const verdict = {
    status: "ready",
    server: { url, protocolVersion: "2025-06-18", initialize: "succeeded" },
    authentication: {
      ...{ kind: "none", authorizationServers: [], requiredScopes: [], recommendedScopes: [] },
      ...{ refreshSupport: "unknown", availableRegistrationMethods: ["pre_registered"] },
      recommendedRegistrationMethod: "pre_registered",
    },
    ...{ tools: { visibility: "available_without_auth" }, manualRequirements: [], warnings: [] },
  };
  await server.platform.db.run(sql`
    insert into mcp_connections (id, org_id, name, slug, url, credential, registration, verdict, evidence, policy,
      next_check_at, created_by)
    select ${id}, ${orgId}, 'Issue tracker', ${slug}, ${url}, ${credential}, ${registration},
      ${JSON.stringify(verdict)}::text::jsonb, '[]', ${JSON.stringify(policy)}::text::jsonb,
      now() + interval '1 day', m.id
    from members m where m.org_id = ${orgId} and m.user_id = ${owner.userId}`);
  return { id, orgId, name: "Issue tracker", slug, url, registration };
}

/** Everybody of the organization may use it. */
export const grantToAll = (
  server: Pick<TestServer, "platform">,
  { id, orgId }: Pick<SeededConnection, "id" | "orgId">,
) =>
  server.platform.db.run(sql`
    insert into mcp_connection_grants (connection_id, org_id, subject_kind) values (${id}, ${orgId}, 'organization')`);

/** A connection that everybody may use. The owner has an account at it, and another one that can be claimed. */
export async function seedMcpAccount(server: TestServer, workspace: Workspace): Promise<string> {
  const { db } = server.platform;
  const connection = await seedMcpConnection(server, workspace, {
    ...{ credential: "per_member", registration: "pre_registered" },
  });
  await grantToAll(server, connection);
  const { providerId } = await seedConnection(server, workspace);
  const internalId = toProviderId(connection.id);
  await db.run(sql`
    update oauth_providers set id = ${internalId}, mcp_connection_id = ${connection.id}
    where org_id = ${workspace.orgId} and id = ${providerId}`);
  const where = sql`where org_id = ${workspace.orgId} and provider_id = ${providerId}`;
  await db.run(sql`update oauth_client_credentials set provider_id = ${internalId} ${where}`);
  await db.run(sql`update oauth_clients set provider_id = ${internalId} ${where}`);
  await db.run(sql`update oauth_connections set provider_id = ${internalId} ${where}`);
  await db.run(sql`update oauth_attempts set provider_id = ${internalId} ${where}`);
  return connection.id;
}

/** A connection with a tool that the server changed after it was approved. */
export async function seedMcpDrift(server: TestServer, workspace: Workspace): Promise<string> {
  const { id, orgId } = await seedMcpConnection(server, workspace);
  const define = (description: string) =>
    JSON.stringify({ name: "search", description, inputSchema: { type: "object" } });
  await server.platform.db.run(sql`
    insert into mcp_tools (connection_id, org_id, name, approved, approved_hash, approved_at, latest, latest_hash, drift)
    values (${id}, ${orgId}, 'search', ${define("Search.")}::text::jsonb, 'before', now(),
      ${define("Search everything.")}::text::jsonb, 'after', '{text_changed}')`);
  return id;
}

/** The revision of the drift that `seedMcpDrift` writes. */
export const seededDriftRevision = computeRevision([
  { name: "search", approvedHash: "before", latestHash: "after", drift: ["text_changed"] },
]);

/** A call that waits for approval. */
export async function seedMcpApproval(
  server: TestServer,
  workspace: Pick<Workspace, "orgId" | "owner">,
): Promise<string> {
  const { id: connectionId, orgId } = await seedMcpConnection(server, workspace);
  const id = newId("mca");
  await server.platform.db.run(sql`
    insert into mcp_approvals (id, org_id, connection_id, member_id, tool, tool_hash, arguments_hash, argument_bytes,
      expires_at)
    select ${id}, ${orgId}, ${connectionId}, m.id, 'delete_comment', '', '', 2, now() + interval '1 day'
    from members m where m.org_id = ${orgId} and m.user_id = ${workspace.owner.userId}`);
  return id;
}
