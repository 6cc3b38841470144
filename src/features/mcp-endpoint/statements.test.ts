import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChangingServer, startChangingServer } from "../../../test/fixtures/mcp-servers/changing.ts";
import { createMcpToken, createWorkspace, useServer, type Workspace } from "../../../test/harness.ts";
import { connectClient } from "../../../test/mcp-clients.ts";
import { listNow } from "../../../test/mcp-tools.ts";
import { recordStatements } from "../../../test/plans.ts";

const server = useServer();
let upstream: ChangingServer;
let acme: Workspace;
beforeAll(async () => {
  upstream = await startChangingServer();
  acme = await createWorkspace(server);
});
afterAll(() => upstream.close());

async function connect(onDrift: string) {
  const headers = acme.owner.auth;
  const { body } = await server.call("/v1/mcp-connections", {
    body: {
      ...{ url: upstream.url, name: onDrift, credential: "shared", registration: "none" },
      access: { organization: true },
    },
    headers,
  });
  const { id, slug } = body.connection as { id: string; slug: string };
  await server.call(`/v1/mcp-connections/${id}/tools/policy`, { method: "PUT", body: { onDrift }, headers });
  await listNow(server, acme.orgId, id);
  const { token } = await createMcpToken(server, acme.owner, { scopes: ["mcp:read", "mcp:write"] });
  const client = await connectClient("modern", `${server.url}/mcp`, token);
  return { id, slug, call: (tool: string, args: object) => client.callTool(`${slug}__${tool}`, { ...args }) };
}

/** What a statement is for. Undefined: it is not about connections, or does not come with every call. */
function classify(text: string): string | undefined {
  if (text.includes("mcp_connection_grants")) return "the connection and the tool";
  if (text.includes("fingerprint")) return "the comparison";
  if (text.includes("insert into mcp_calls")) return "the log";
  return /\bmcp_(connections|tools)\b/.test(text) ? text : undefined;
}

describe("statements of a call", () => {
  test.each([
    ["warn", ["the connection and the tool", "the log"]],
    ["hold_changed", ["the connection and the tool", "the comparison", "the log"]],
    ["hold_all", ["the connection and the tool", "the comparison", "the log"]],
  ])("%s: %j", async (onDrift, expected) => {
    const { call } = await connect(onDrift);
    const args = { query: "a" };
    // The first call opens a session, and compares the listing with all stored tools.
    expect((await call("search_issues", args)).isError).toBeFalsy();
    const count = async () => {
      const statements = await recordStatements(server.engine, async () => {
        expect((await call("search_issues", args)).isError).toBeFalsy();
      });
      return statements.flatMap(({ text }) => classify(text) ?? []);
    };
    await expect.poll(count).toEqual(expected);
  });

  test("a listing is compared again when another process has recorded a different one meanwhile", async () => {
    const { id, call } = await connect("hold_changed");
    const args = { query: "a" };
    expect((await call("search_issues", args)).isError).toBeFalsy();
    expect((await call("search_issues", args)).isError).toBeFalsy();
    const tool = upstream.find("create_issue");
    const approved = tool.description;
    tool.description = "Something else";
    await listNow(server, acme.orgId, id);
    const readHeld = async () =>
      (await server.call(`/v1/mcp-connections/${id}`, { headers: acme.owner.auth })).body.connection
        .heldTools;
    expect(await readHeld()).toBe(1);
    tool.description = approved;
    expect((await call("search_issues", args)).isError).toBeFalsy();
    expect(await readHeld()).toBe(0);
  });

  test("a tool whose name at /mcp ends with a hash is called too", async () => {
    const long = `search_${"very_".repeat(12)}long`;
    upstream.tools.push({ ...upstream.find("search_issues"), name: long });
    const { id, slug, call } = await connect("hold_changed");
    const { body } = await server.call(`/v1/mcp-connections/${id}/tools`, { headers: acme.owner.auth });
    const { exposedName } = body.items.find(({ name }: { name: string }) => name === long);
    expect(exposedName).toMatch(/_[0-9a-f]{12}$/);
    const name = exposedName.slice(`${slug}__`.length);
    expect((await call(name, { query: "a" })).isError).toBeFalsy();
    upstream.tools.pop();
  });
});
