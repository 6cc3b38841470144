import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
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
