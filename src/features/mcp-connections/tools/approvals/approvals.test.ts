import { beforeEach, describe, expect, test } from "vitest";
import type { Body } from "../../../../../test/body.ts";
import {
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  type Workspace,
} from "../../../../../test/harness.ts";
import { type SeededConnection, seedMcpConnection } from "../../../../../test/mcp-connections.ts";
import type { MemberCtx } from "../../../../platform/context.ts";
import { sql } from "../../../../platform/db/index.ts";
import { isId, newId } from "../../../../platform/ids.ts";
import { createMembership, findMembership } from "../../../credentials/index.ts";
import { fillPolicy, type Policy } from "../../model.ts";
import { checkCall, recordListing } from "../index.ts";
import { tidyApprovals } from "./service.ts";

const server = useServer();
const db = () => server.platform.db;
let acme: Workspace;
let connection: SeededConnection;
let agent: Person & { memberId: string };

const tools = [
  {
    name: "read",
    description: "Reads.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  },
  {
    name: "delete",
    description: "Deletes.",
    inputSchema: { type: "object" },
    annotations: { destructiveHint: true },
  },
  { name: "unknown", description: "Does something.", inputSchema: { type: "object" } },
];

beforeEach(async () => {
  acme = await createWorkspace(server);
  agent = await joinWorkspace(server, acme, "member");
  connection = await seedMcpConnection(server, acme);
  await recordListing(server.platform, withPolicy({}), { tools });
});

const withPolicy = (policy: Partial<Policy>) => ({
  ...connection,
  credential: "shared" as const,
  policy: fillPolicy(policy),
});

async function createCtx(memberId: string): Promise<MemberCtx> {
  const row = isId("mem", memberId) ? await findMembership(db(), connection.orgId, memberId) : undefined;
  if (!row) throw new Error("There is no such member.");
  const member = createMembership(row);
  const { userId } = row;
  return {
    ...server.platform,
    ...{ orgId: connection.orgId, member, userId, permissions: member.permissions },
    ...{ requestId: "test", address: "", userAgent: "" },
    caller: { principal: "member", userId, member, credential: "mcp", credentialId: "" },
  };
}

/** The code of the refusal, or `allowed`. A call that is allowed is sent. */
const call = async (
  tool: string,
  {
    args = { id: 1 },
    policy = { destructive: "approve" as const },
    memberId = agent.memberId,
    runId = null,
  }: {
    args?: unknown;
    policy?: Partial<Policy>;
    memberId?: string;
    runId?: string | null;
  } = {},
): Promise<Body> =>
  checkCall(await createCtx(memberId), withPolicy(policy), tool, args, { runId })
    .then(async ({ useApproval, ...allowed }) => {
      await useApproval?.();
      return { ...allowed, error: "allowed" };
    })
    .catch((error) => ({ status: error.status, ...error.body }));

const decide = (id: string, outcome: "approve" | "deny", body: Body = {}, headers = acme.owner.auth) =>
  server.call(`/v1/mcp-approvals/${id}/${outcome}`, { body, headers });

describe("a call", () => {
  test("of a tool that is known and allowed passes, and lists first where tools are held", async () => {
    expect(await call("read")).toMatchObject({ error: "allowed", isReadOnly: true, mustList: true });
    expect(await call("delete", { policy: {} })).toMatchObject({ error: "allowed", isDestructive: true });
    expect(await call("read", { policy: { onDrift: "warn" } })).toMatchObject({ mustList: false });
  });

  test("of a tool that is unknown, denied or destructive is refused with what to do", async () => {
    expect(await call("nothing")).toMatchObject({
      status: 404,
      error: "mcp_tool_not_found",
      tool: "nothing",
    });
    expect(await call("", {})).toMatchObject({ error: "mcp_tool_not_found" });
    expect(await call("read", { policy: { deny: ["r*"] } })).toMatchObject({
      status: 403,
      error: "mcp_tool_denied",
    });
    expect(await call("read", { policy: { allow: ["delete"] } })).toMatchObject({ error: "mcp_tool_denied" });
    expect(await call("delete", { policy: { destructive: "deny" } })).toMatchObject({
      error: "mcp_tool_denied",
    });
    const strict = { destructive: "deny" as const, treatUnknownAsDestructive: true };
    expect(await call("unknown", { policy: strict })).toMatchObject({ error: "mcp_tool_denied" });
    expect(await call("read", { policy: strict })).toMatchObject({ error: "allowed" });
    expect(await call("read", { policy: { hide: ["read"] } })).toMatchObject({ error: "allowed" });
  });

  test("of a changed or new tool is refused until it is approved, unless the policy only warns", async () => {
    const changed = [
      ...tools.slice(1),
      { ...tools[0], description: "Changed." },
      { name: "new", inputSchema: {} },
    ];
    await recordListing(server.platform, withPolicy({}), { tools: changed });
    expect(await call("read")).toMatchObject({
      status: 409,
      error: "mcp_tool_held",
      drift: ["text_changed"],
    });
    expect(await call("new")).toMatchObject({ error: "mcp_tool_held", drift: ["added"] });
    expect(await call("unknown")).toMatchObject({ error: "allowed" });
    expect(await call("new", { policy: { onDrift: "warn" } })).toMatchObject({ error: "allowed" });
    await recordListing(server.platform, withPolicy({}), { tools: tools.slice(1) });
    expect(await call("read")).toMatchObject({ status: 409, error: "mcp_tool_removed" });
  });

  test("before the first listing says that the tools are not known yet", async () => {
    connection = await seedMcpConnection(server, acme);
    const refused = await call("read");
    expect(refused).toMatchObject({ error: "mcp_tool_not_found" });
    expect(refused.message).toContain("not listed yet");
  });
});

describe("a destructive call", () => {
  test("waits for a person, who sees the arguments; then it passes once", async () => {
    const first = await call("delete");
    expect(first).toMatchObject({ status: 409, error: "mcp_approval_required", tool: "delete" });
    expect(await call("delete")).toMatchObject({ approvalId: first.approvalId });
    const path = `/v1/mcp-approvals/${first.approvalId}`;
    const { body } = await server.call(path, { headers: acme.owner.auth });
    expect(body.approval).toMatchObject({
      ...{
        status: "pending",
        tool: "delete",
        arguments: { id: 1 },
        argumentBytes: 8,
        memberId: agent.memberId,
      },
      ...{ connectionId: connection.id, connectionName: "Issue tracker", decidedBy: null },
    });
    const sealed = await db().row<{ arguments: string }>(
      sql`select arguments from mcp_approvals where id = ${first.approvalId}`,
    );
    expect(sealed?.arguments).not.toContain('"id"');
    const approved = await decide(first.approvalId, "approve", { note: "Checked." });
    expect(approved).toMatchObject({
      ...{
        status: 200,
        body: { approval: { status: "approved", note: "Checked.", decidedByName: "Owner" } },
      },
    });
    expect(await call("delete")).toMatchObject({ error: "allowed" });
    expect(await call("delete")).toMatchObject({ error: "mcp_approval_required" });
    const used = await server.call(path, { headers: acme.owner.auth });
    expect(used.body.approval.status).toBe("used");
  });

  test("passes once, also when it is made many times at the same moment", async () => {
    const { approvalId } = await call("delete");
    await decide(approvalId, "approve");
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => call("delete")));
    expect(outcomes.filter(({ error }) => error === "allowed")).toHaveLength(1);
  });

  test("is approved for this caller, run, tool and these arguments alone", async () => {
    const { approvalId } = await call("delete", { args: { b: [2], a: 1 } });
    await decide(approvalId, "approve");
    const other = await joinWorkspace(server, acme, "member");
    for (const options of [
      { args: { a: 1, b: [3] } },
      { args: { a: 1, b: [2] }, memberId: other.memberId },
      { args: { a: 1, b: [2] }, runId: newId("run") },
    ]) {
      expect(await call("delete", options)).toMatchObject({ error: "mcp_approval_required" });
    }
    // The order of fields does not matter.
    expect(await call("delete", { args: { a: 1, b: [2] } })).toMatchObject({ error: "allowed" });
  });

  test("is not approved any more when the tool has changed since", async () => {
    const { approvalId } = await call("delete");
    await decide(approvalId, "approve");
    const changed = tools.map((tool) =>
      tool.name === "delete" ? { ...tool, description: "Deletes all." } : tool,
    );
    await recordListing(server.platform, withPolicy({}), { tools: changed });
    const path = `/v1/mcp-connections/${connection.id}/drift`;
    const { revision } = (await server.call(path, { headers: acme.owner.auth })).body;
    await server.call(`${path}/approve`, { body: { revision }, headers: acme.owner.auth });
    expect(await call("delete")).toMatchObject({ error: "mcp_approval_required" });
  });

  test("that was denied is refused for an hour, with the reason", async () => {
    const { approvalId } = await call("delete");
    await decide(approvalId, "deny", { note: "Close it instead" });
    const refused = await call("delete");
    expect(refused).toMatchObject({ status: 403, error: "mcp_approval_denied", approvalId });
    expect(refused.message).toContain(
      'denied this call of Issue tracker, with the note "Close it instead". It can be asked for again in an hour.',
    );
    await db().run(sql`update mcp_approvals set expires_at = now() where id = ${approvalId}`);
    expect(await call("delete")).toMatchObject({ error: "mcp_approval_required" });
  });

  test("is decided once, and not after its time", async () => {
    const { approvalId } = await call("delete");
    const both = await Promise.all([decide(approvalId, "approve"), decide(approvalId, "deny")]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)?.body.error).toBe("mcp_approval_decided");
    const late = (await call("delete", { args: { id: 2 } })).approvalId;
    await db().run(sql`update mcp_approvals set expires_at = now() where id = ${late}`);
    expect((await decide(late, "approve")).body.error).toBe("mcp_approval_expired");
    const again = await call("delete", { args: { id: 2 } });
    expect(again.approvalId).not.toBe(late);
  });

  test("is asked for by an agent that repeats itself at most 50 times", async () => {
    for (let n = 0; n < 50; n++) await call("delete", { args: { n } });
    expect(await call("delete", { args: { n: 50 } })).toMatchObject({ error: "mcp_approvals_full" });
    expect(await call("delete", { args: { n: 49 } })).toMatchObject({ error: "mcp_approval_required" });
  });
});

describe("approvals", () => {
  test("are seen by those who asked and by managers, and decided by managers", async () => {
    const { approvalId } = await call("delete");
    const other = await joinWorkspace(server, acme, "member");
    const foreign = await createWorkspace(server, "Other");
    const list = async (headers: Person["auth"], query = "") =>
      (await server.call(`/v1/mcp-approvals${query}`, { headers })).body.items;
    expect(await list(agent.auth)).toMatchObject([{ id: approvalId, arguments: null, memberName: "member" }]);
    expect(await list(acme.owner.auth)).toHaveLength(1);
    expect(await list(acme.owner.auth, "?status=pending")).toHaveLength(1);
    expect(await list(acme.owner.auth, "?status=used")).toHaveLength(0);
    expect(await list(acme.owner.auth, `?connectionId=${connection.id}`)).toHaveLength(1);
    expect(await list(acme.owner.auth, `?connectionId=${newId("mcn")}`)).toHaveLength(0);
    expect(await list(other.auth)).toEqual([]);
    expect(await list(foreign.owner.auth)).toEqual([]);
    for (const { auth } of [other, foreign.owner])
      expect((await server.call(`/v1/mcp-approvals/${approvalId}`, { headers: auth })).status).toBe(404);
    expect((await decide(approvalId, "approve", {}, agent.auth)).status).toBe(403);
    expect((await decide(approvalId, "approve", {}, foreign.owner.auth)).status).toBe(404);
  });

  test("are announced, recorded in the audit log, and end by themselves", async () => {
    const { approvalId } = await call("delete");
    await call("delete");
    const events = await db().rows<{ data: Body }>(sql`
      select data from notification_events where org_id = ${acme.orgId} and type = 'mcp_approval.requested'`);
    expect(events).toMatchObject([{ data: { approvalId, tool: "delete", memberId: agent.memberId } }]);
    await decide(approvalId, "deny");
    const [entry] = (await server.call("/v1/audit-events?limit=1", { headers: acme.owner.auth })).body.items;
    expect(entry).toMatchObject({ action: "mcp_approval.denied", target: { id: approvalId } });
    const second = (await call("delete", { args: {} })).approvalId;
    await db().run(sql`update mcp_approvals set expires_at = now() where id = ${second}`);
    await tidyApprovals(server.platform);
    const rows = await db().rows<{ status: string }>(
      sql`select status from mcp_approvals where org_id = ${acme.orgId} order by id`,
    );
    expect(rows.map(({ status }) => status)).toEqual(["denied", "expired"]);
  });
});
