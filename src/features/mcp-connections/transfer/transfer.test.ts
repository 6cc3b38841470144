import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readEventStream } from "@signalbox/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Body } from "../../../../test/body.ts";
import { oauth, openHandshake } from "../../../../test/fixtures/mcp-hostile/parts.ts";
import { type HostileServer, startHostileServer } from "../../../../test/fixtures/mcp-hostile/server.ts";
import {
  createKey,
  createWorkspace,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { clientNames } from "./contract.ts";
import { parseFile } from "./files/index.ts";

const folder = join(import.meta.dirname, "../../../../test/fixtures/mcp-clients");
const load = (name: string) => readFileSync(join(folder, name), "utf8");
const server = useServer();
let acme: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server);
});

async function seedConnection({ orgId }: Workspace, name: string, url: string): Promise<string> {
  const id = newId("mcn");
  await server.platform.db.run(sql`
    insert into mcp_connections (id, org_id, name, slug, url, credential, registration, verdict, evidence)
    values (${id}, ${orgId}, ${name}, ${id.slice(4, 30)}, ${url}, 'shared', 'none', '{}', '[]')`);
  return id;
}

describe("the preview of a file", () => {
  const preview = (body: unknown, headers: Record<string, string> = acme.owner.auth) =>
    server.call("/v1/mcp-connections/import/preview", { body, headers });

  test("lists every server, with names of headers, missing values and reasons, and no secret", async () => {
    const { status, body } = await preview({ text: load("claude-code.json") });
    expect(status).toBe(200);
    expect(body.format).toBe("mcp_servers");
    expect(body.items.map(({ key }: { key: string }) => key)).toEqual([
      ...["issues", "events", "crm", "helper", "issues (2)", "local"],
    ]);
    expect(body.items[0]).toEqual({
      ...{ key: "issues", name: "issues", url: "https://api.issues.example.com/mcp" },
      ...{
        registration: "bearer",
        headers: ["Authorization", "X-Team"],
        existing: null,
        notes: [],
        problem: null,
      },
      missing: [
        { name: "ISSUES_TOKEN", description: null, secret: true, optional: false },
        { name: "ISSUES_TEAM", description: null, secret: true, optional: true },
      ],
    });
    expect(body.items[5]).toMatchObject({ url: null, problem: { code: "local_command" } });
    expect(JSON.stringify(body)).not.toContain("literal-");
  });

  test("takes a document instead of a text, but not both and not neither", async () => {
    const document = JSON.parse(load("registry-list.json"));
    expect((await preview({ document })).body.format).toBe("registry_list");
    for (const body of [{}, { text: "{}", document }]) {
      expect(await preview(body)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    }
  });

  test("names the place of a mistake", async () => {
    const { status, body } = await preview({ text: '{\n  "mcpServers": {,}\n}' });
    expect(status).toBe(400);
    expect(body.details).toEqual([
      { message: expect.stringContaining("Line 2, column 18:"), path: ["text"] },
    ]);
    const large = await preview({ text: `{"mcpServers": {}, "x": "${"é".repeat(600_000)}"}` });
    expect(large).toMatchObject({ status: 400 });
    expect(large.body.details[0].message).toContain("larger than 1 MiB");
  });

  test("reports a connection of the same organization with the same address, written in another way", async () => {
    const id = await seedConnection(acme, "Notes", "https://notes.example.com:443/mcp");
    const other = await createWorkspace(server, "Other");
    await seedConnection(other, "Hidden", "https://mcp.docs.example.com/mcp");
    const notes = await preview({ text: load("registry-list.json") });
    expect(notes.body.items[0].existing).toEqual({ id, name: "Notes" });
    const docs = await preview({ text: load("cursor.json") });
    expect(docs.body.items[0].existing).toBeNull();
  });

  test("is for those who manage connections", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const admin = await joinWorkspace(server, acme, "admin");
    const key = await createKey(server, acme.owner);
    const text = load("cursor.json");
    expect(await preview({ text }, member.auth)).toMatchObject({ status: 403 });
    expect((await preview({ text }, admin.auth)).status).toBe(200);
    expect((await preview({ text }, key.auth)).status).toBe(200);
    expect((await preview({ text }, {})).status).toBe(401);
  });
});

describe("an import", () => {
  let open: HostileServer;
  let locked: HostileServer;
  let keyed: HostileServer;
  beforeAll(async () => {
    open = await startHostileServer((request, base) =>
      request.path.startsWith("/mcp") ? openHandshake(request, base) : undefined,
    );
    locked = await startHostileServer(oauth());
    keyed = await startHostileServer((request) => (request.method === "POST" ? { status: 401 } : undefined));
  });
  afterAll(async () => {
    await Promise.all([open, locked, keyed].map((one) => one?.close()));
  });

  const send = (body: unknown, auth = acme.owner.auth) =>
    fetch(`${server.url}/v1/mcp-connections/import`, {
      method: "POST",
      headers: { ...auth, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  async function follow(body: unknown, auth = acme.owner.auth): Promise<{ event: string; data: Body }[]> {
    const response = await send(body, auth);
    expect(response.status).toBe(200);
    const messages = [];
    for await (const { event, data } of readEventStream(response.body))
      messages.push({ event, data: JSON.parse(data) });
    return messages;
  }
  const listResults = (messages: { event: string; data: Body }[]): Body[] =>
    messages
      .filter(({ event }) => event === "result")
      .map(({ data }) => data)
      .toSorted((a, b) => a.index - b.index);

  test("saves each server on its own, says why others are not saved, and saves an address once", async () => {
    const workspace = await createWorkspace(server, "Importers");
    const text = JSON.stringify({
      mcpServers: {
        open: { url: `${open.base}/mcp` },
        again: { url: `${open.base}/mcp/../mcp` },
        keyed: {
          url: `${keyed.base}/mcp`,
          headers: { Authorization: "Bearer literal-secret", "X-Org": "7" },
        },
        asking: { url: `${keyed.base}/other` },
        variable: { url: `${keyed.base}/third`, headers: { "X-Api-Key": `\${KEY_OF_THIRD}` } },
        local: { command: "npx", args: ["-y", "some-server"] },
      },
    });
    const items = ["open", "again", "keyed", "asking", "variable", "local"].map((key) => ({ key }));
    const messages = await follow({ text, items }, workspace.owner.auth);
    expect(messages.filter(({ event }) => event === "started")).toHaveLength(6);
    expect(messages.at(-1)).toEqual({
      ...{ event: "done", data: { saved: 2, exists: 1, choiceRequired: 1, refused: 2 } },
    });
    const results = listResults(messages);
    expect(results.map(({ outcome }) => outcome)).toEqual([
      ...["saved", "exists", "saved", "choice_required", "refused", "refused"],
    ]);
    expect(results[1]?.connectionId).toBe(results[0]?.connectionId);
    expect(results[3]?.error).toMatchObject({
      error: "mcp_choice_required",
      choices: { recommended: "bearer" },
    });
    expect(results[4]?.error.details).toEqual([
      { message: "Give a value for KEY_OF_THIRD.", path: ["items", 4, "values"] },
    ]);
    expect(results[5]?.error.error).toBe("mcp_import_local_command");
    expect(JSON.stringify(messages)).not.toContain("literal-secret");

    const { body } = await server.call(`/v1/mcp-connections/${results[2]?.connectionId}`, {
      headers: workspace.owner.auth,
    });
    expect(body.connection).toMatchObject({
      name: "keyed",
      registration: "bearer",
      mine: { state: "connected" },
    });
    const rows = await server.platform.db.rows<{ secret: string }>(
      sql`select secret from mcp_credentials where org_id = ${workspace.orgId}`,
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain("literal-secret");

    // The same request again saves what was missing, and nothing twice.
    const repeated = listResults(
      await follow(
        {
          text,
          items: items.map((item) =>
            item.key === "variable" ? { ...item, values: { KEY_OF_THIRD: "k" } } : item,
          ),
        },
        workspace.owner.auth,
      ),
    );
    expect(repeated.map(({ outcome }) => outcome)).toEqual([
      ...["exists", "exists", "exists", "choice_required", "saved", "refused"],
    ]);
  });

  test("takes a choice of a person, other names, and addresses without a file", async () => {
    const workspace = await createWorkspace(server, "Choosers");
    const text = JSON.stringify({
      mcpServers: { locked: { url: `${locked.base}/mcp`, headers: { Authorization: "Bearer old" } } },
    });
    const results = listResults(
      await follow(
        {
          text,
          items: [
            {
              ...{ key: "locked", name: "Signed in", registration: "pre_registered", clientId: "ours" },
              clientSecret: "shh",
            },
            { url: `${open.base}/mcp/direct`, credential: "shared", access: { organization: true } },
          ],
        },
        workspace.owner.auth,
      ),
    );
    expect(results).toMatchObject([
      { name: "Signed in", outcome: "saved" },
      { key: null, outcome: "saved" },
    ]);
    const { body } = await server.call("/v1/mcp-connections", { headers: workspace.owner.auth });
    expect(body.items.map(({ name, registration }: Body) => `${name} ${registration}`).toSorted()).toEqual([
      ...[`${new URL(open.base).host} none`, "Signed in pre_registered"],
    ]);
  });

  test("servers with the same name get different names", async () => {
    const { owner } = await createWorkspace(server, "Names");
    const items = [1, 2, 3].map((n) => ({ url: `${open.base}/mcp/same-name-${n}`, name: "Same name" }));
    const results = listResults(await follow({ items }, owner.auth));
    expect(results.map(({ outcome }: Body) => outcome)).toEqual(["saved", "saved", "saved"]);
    const listed = await server.call("/v1/mcp-connections?limit=100", { headers: owner.auth });
    const names = listed.body.items
      .map(({ name }: Body) => name)
      .filter((name: string) => name.startsWith("Same"));
    expect(names.toSorted()).toEqual(["Same name", "Same name 2", "Same name 3"]);
  });

  test("a name that is cut for its number keeps whole characters", async () => {
    const { owner } = await createWorkspace(server, "Long names");
    const name = `${"n".repeat(73)}🚦`;
    const items = [1, 2].map((n) => ({ url: `${open.base}/mcp/long-name-${n}`, name }));
    await follow({ items }, owner.auth);
    const listed = await server.call("/v1/mcp-connections?limit=100", { headers: owner.auth });
    const names = listed.body.items.map(({ name }: Body) => name);
    expect(names.toSorted()).toEqual([`${"n".repeat(73)} 2`, name]);
  });

  test("two addresses that differ only in a secret part are two connections", async () => {
    const workspace = await createWorkspace(server, "Secrets");
    const secret = (letter: string) => `${open.base}/mcp/${letter.repeat(40)}7f3a9c/sse`;
    const first = { items: [{ url: secret("a") }] };
    expect(listResults(await follow(first, workspace.owner.auth))[0]?.outcome).toBe("saved");
    expect(listResults(await follow(first, workspace.owner.auth))[0]?.outcome).toBe("exists");
    const other = { items: [{ url: secret("b") }] };
    expect(listResults(await follow(other, workspace.owner.auth))[0]?.outcome).toBe("saved");
  });

  test.each([
    ["a key without a file", { items: [{ key: "a" }] }, ["items", 0, "key"]],
    [
      "a key that the file does not have",
      { text: load("cursor.json"), items: [{ key: "a" }] },
      ["items", 0, "key"],
    ],
    ["neither key nor url", { items: [{}] }, ["items", 0, "key"]],
    [
      "both",
      { text: load("cursor.json"), items: [{ key: "docs", url: "https://x.example/" }] },
      ["items", 0, "url"],
    ],
    ["no items", { text: load("cursor.json"), items: [] }, ["items"]],
    ["a broken file", { text: "{", items: [{ key: "a" }] }, ["text"]],
  ])("%s is refused before anything is saved", async (_, body, path) => {
    const response = await send(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ details: [{ path }] });
  });

  test("a member may not import, and an item that breaks a rule is refused alone", async () => {
    const member = await joinWorkspace(server, acme, "member");
    expect((await send({ items: [{ url: "https://x.example/" }] }, member.auth)).status).toBe(403);
    const text = JSON.stringify({
      mcpServers: { odd: { url: `${open.base}/mcp/odd`, headers: { Host: "evil.example" } } },
    });
    const [odd] = listResults(await follow({ text, items: [{ key: "odd" }] }));
    expect(odd).toMatchObject({ outcome: "refused", error: { error: "invalid_request" } });
  });
});

describe("the configuration for a client", () => {
  const read = (query: string, headers: Record<string, string> = acme.owner.auth) =>
    server.call(`/v1/mcp-connections/export?${query}`, { headers });

  test.each(clientNames)("%s gets the address of this instance, and no secret", async (client) => {
    const member = await joinWorkspace(server, acme, "member");
    for (const credential of ["oauth", "token"]) {
      const { status, body } = await read(`client=${client}&credential=${credential}`, member.auth);
      expect(status).toBe(200);
      const { configuration } = body;
      expect(configuration.content).toContain(`${server.platform.config.publicUrl}/mcp`);
      expect(
        configuration.content.includes("Authorization") || configuration.content.includes("bearer"),
      ).toBe(credential === "token" && client !== "claude-ai");
      expect(configuration.source === null).toBe(configuration.checkedOn === null);
      if (configuration.language !== "json") continue;
      // What we write for a client, we read from a client.
      const { servers } = parseFile(configuration.content);
      expect(servers).toMatchObject([{ name: "signalbox", problem: null }]);
      expect(servers[0]?.headers.map(({ name }) => name)).toEqual(
        credential === "token" ? ["Authorization"] : [],
      );
    }
  });

  test("an unknown client is refused with the list", async () => {
    expect(await read("client=emacs")).toMatchObject({ status: 400 });
    expect(await read("")).toMatchObject({ status: 400 });
  });
});
