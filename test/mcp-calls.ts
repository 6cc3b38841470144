import type { CallGate } from "../src/features/mcp-connections/calls/index.ts";
import {
  fillLimits,
  fillPolicy,
  type Limits,
  type UsableConnection,
} from "../src/features/mcp-connections/model.ts";
import type { MemberCtx, MemberId, OrgId } from "../src/platform/context.ts";
import { sql } from "../src/platform/db/index.ts";
import { newId } from "../src/platform/ids.ts";
import type { Person, TestServer } from "./harness.ts";

/** The context of a request of this member with an MCP token. */
export async function createMemberCtx(
  server: TestServer,
  orgId: string,
  person: Pick<Person, "userId">,
): Promise<MemberCtx> {
  const row = await server.platform.db.row<{ id: MemberId; orgId: OrgId; role: string }>(sql`
    select id, org_id as "orgId", role from members where org_id = ${orgId} and user_id = ${person.userId}`);
  const permissions = new Set(["mcp_connections:use"]);
  const member = { id: row!.id, orgId: row!.orgId, role: row!.role, permissions, isSuspended: false };
  const userId = person.userId as MemberCtx["userId"];
  return {
    ...server.platform,
    requestId: "req_test",
    address: "127.0.0.1",
    userAgent: "test",
    userId,
    orgId: row!.orgId,
    member,
    permissions,
    caller: { principal: "member", userId, member, credential: "mcp", credentialId: newId("mct") },
  };
}

/** Inserts a connection without a credential. */
export async function seedMcpConnection(
  server: TestServer,
  orgId: string,
  url: string,
  more: {
    limits?: Partial<Limits>;
    logPayloads?: boolean;
    name?: string;
    onDrift?: "warn" | "hold_changed";
  } = {},
): Promise<UsableConnection> {
  const id = newId("mcn");
  const slug = id.slice(-12);
  const name = more.name ?? "Issue tracker";
  await server.platform.db.run(sql`
    insert into mcp_connections (id, org_id, name, slug, url, credential, registration, verdict, evidence)
    values (${id}, ${orgId}, ${name}, ${slug}, ${url}, 'shared', 'none', '{}', '[]')`);
  return {
    id,
    orgId: orgId as OrgId,
    name,
    slug,
    url,
    credential: "shared",
    registration: "none",
    protocolVersion: null,
    policy: fillPolicy({ onDrift: more.onDrift ?? "warn" }),
    limits: fillLimits(more.limits ?? {}),
    logPayloads: more.logPayloads ?? false,
    payloadDays: 7,
    resource: null,
  };
}

/** Allows every call and sends no credential. */
export const openGate: CallGate = {
  checkCall: async (_ctx, { policy }, tool) => ({
    definition: { name: tool, inputSchema: { type: "object" } },
    mustList: policy.onDrift !== "warn",
  }),
  confirmTool: async () => {},
  recordListing: async () => {},
  findHeaders: async () => ({}),
  reportChallenge: async () => {},
  reportWorked: () => {},
};
