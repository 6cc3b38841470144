import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChangingServer, startChangingServer } from "../../../test/fixtures/mcp-servers/changing.ts";
import {
  createMcpToken,
  createWorkspace,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
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

async function connect(onDrift: string, { orgId, owner }: Workspace = acme) {
  const headers = owner.auth;
  const { body } = await server.call("/v1/mcp-connections", {
    body: {
      ...{ url: upstream.url, name: onDrift, credential: "shared", registration: "none" },
      access: { organization: true },
    },
    headers,
  });
  const { id, slug } = body.connection as { id: string; slug: string };
  await server.call(`/v1/mcp-connections/${id}/tools/policy`, { method: "PUT", body: { onDrift }, headers });
  await listNow(server, orgId, id);
  return { id, slug, call: await connectCaller(owner, slug) };
}

async function connectCaller(person: Workspace["owner"], slug: string) {
  const { token } = await createMcpToken(server, person, { scopes: ["mcp:read", "mcp:write"] });
  const client = await connectClient("modern", `${server.url}/mcp`, token);
  return (tool: string, args: object) => client.callTool(`${slug}__${tool}`, { ...args });
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

  test("calls of several organizations at the same time find the connections that each caller may use", async () => {
    const globex = await createWorkspace(server, "Globex");
    const initech = await createWorkspace(server, "Initech");
    const mine = await connect("warn", globex);
    const theirs = await connect("warn", initech);
    expect(theirs.slug).toBe(mine.slug);
    const { body: members } = await server.call("/v1/members", { headers: initech.owner.auth });
    const access = { memberIds: [members.items[0].id] };
    await server.call(`/v1/mcp-connections/${theirs.id}/access`, {
      ...{ method: "PUT", body: access, headers: initech.owner.auth },
    });
    const stranger = await connectCaller(await joinWorkspace(server, initech, "member"), theirs.slug);
    const args = { query: "a" };
    const calls = [0, 1, 2, 3].flatMap(() => [
      mine.call("search_issues", args),
      theirs.call("search_issues", args),
      stranger("search_issues", args),
      mine.call("nothing", args),
    ]);
    const outcomes = (await Promise.allSettled(calls)).map(({ status }) => status);
    expect(outcomes).toEqual(calls.map((_, i) => (i % 4 < 2 ? "fulfilled" : "rejected")));
    for (const { owner, id } of [
      { ...globex, id: mine.id },
      { ...initech, id: theirs.id },
    ]) {
      const { body } = await server.call("/v1/mcp-calls", { headers: owner.auth });
      expect(body.items.map(({ connectionId }: { connectionId: string }) => connectionId)).toEqual(
        Array(4).fill(id),
      );
    }
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
