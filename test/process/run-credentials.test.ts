/** What a program receives from a real runner and a real server, and when its credential ends. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type AuthorizationServer, startAuthorizationServer } from "../fixtures/authorization-server.ts";
import type { Person } from "../harness.ts";
import { type Callable, connectAccount, readConnectionStatus, setUpProvider } from "../oauth.ts";
import { cleanUp, copyFolder, type RunningServer, serve } from "./kit.ts";
import { createClient, signUpAt } from "./oauth.ts";
import { createNotesFolder, startRunner, waitForFile } from "./runner-kit.ts";

let server: RunningServer;
let door: Callable;
let owner: Person;
let key: string;
let as: AuthorizationServer;
/** Two accounts at the provider: one that the automation may use, and one that it may not. */
let given: string;
let other: string;
beforeAll(async () => {
  server = await serve(copyFolder(inject("preparedFolder")));
  door = createClient(server.url);
  as = await startAuthorizationServer({
    redirectUris: [`${server.url}/v1/oauth-providers/acme-id/connect/callback`],
  });
  owner = await signUpAt(door, "Owner");
  await ask("/v1/organizations", { name: "Acme" });
  await setUpProvider(door, owner.auth, as);
  await connectAccount(door, owner, "acme-id");
  await connectAccount(door, owner, "acme-id", { account: "other", query: "?account=other" });
  const { connections } = await readConnectionStatus(door, owner.auth, "acme-id");
  const named = (name: string) => connections.find(({ account }: { account: string }) => account === name).id;
  [given, other] = [named("default"), named("other")];
  key = (
    await ask("/v1/api-keys", {
      name: "runner",
      permissions: ["automations:create", "templates:read", "connections:use"],
    })
  ).key;
});
afterAll(async () => {
  await as.close();
  await cleanUp();
});

async function ask(path: string, body?: unknown, method?: string) {
  const options = { headers: owner.auth, ...(body ? { body } : {}), ...(method ? { method } : {}) };
  const reply = await door.call(path, options);
  if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** Writes a program with the helpers that these tests share. Returns its command line. */
function program(script: string): string[] {
  const file = join(createNotesFolder(), "program.mjs");
  writeFileSync(
    file,
    `import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
    const { env } = process;
    const context = JSON.parse(readFileSync(env.SIGNALBOX_CONTEXT_FILE, "utf8"));
    const call = async (path, body) => {
      const headers = { authorization: "Bearer " + env.SIGNALBOX_RUN_TOKEN, "content-type": "application/json" };
      const method = body === undefined ? "GET" : "POST";
      const response = await fetch(env.SIGNALBOX_URL + path, { method, headers, body: body && JSON.stringify(body) });
      const text = await response.text();
      return { status: response.status, body: text && JSON.parse(text) };
    };
    const say = (payload) => console.log(JSON.stringify({ type: "assistant", payload }));
    ${script}`,
  );
  return [process.execPath, file];
}

async function queue(body: Record<string, unknown> = {}) {
  const { automation } = await ask("/v1/automations", {
    name: "Triage",
    instructions: "Look.",
    schedule: { kind: "manual" },
    ...body,
  });
  return { automation, id: (await ask(`/v1/automations/${automation.id}/run`, undefined, "POST")).run.id };
}

const readEvents = async (id: string) => (await ask(`/v1/automation-runs/${id}/events?limit=100`)).items;
const payloads = async (id: string) =>
  (await readEvents(id))
    .filter(({ type }: { type: string }) => type === "assistant")
    .map(({ payload }: { payload: unknown }) => payload);
const makeTemplate = async (slug: string) =>
  (await ask("/v1/templates", { name: slug, slug, body: `Body of ${slug}`, metadata: { of: slug } }))
    .template;

describe("a program under the runner", () => {
  test("gets its templates as files, tokens of its connections, and nothing else", async () => {
    const [review, triage, secret] = [
      await makeTemplate("code-review"),
      await makeTemplate("agents/triage"),
      await makeTemplate("not-for-you"),
    ];
    const { id, automation } = await queue({
      templateIds: [review.id, triage.id],
      connectionIds: [given],
    });
    const elsewhere = await queue();
    await ask(`/v1/automation-runs/${elsewhere.id}/cancel`, undefined, "POST");
    const folder = createNotesFolder();
    const script = `
      writeFileSync("${folder}/token", env.SIGNALBOX_RUN_TOKEN);
      writeFileSync("${folder}/context", env.SIGNALBOX_CONTEXT_FILE);
      const mode = (path) => (statSync(path).mode & 0o777).toString(8);
      say({ files: context.templates.map(({ slug, file, metadata }) => [slug, readFileSync(file, "utf8"), metadata.of]),
        inDir: readFileSync(env.SIGNALBOX_TEMPLATES_DIR + "/agents/triage.md", "utf8"),
        modes: [mode(env.SIGNALBOX_CONTEXT_FILE), mode(env.SIGNALBOX_TEMPLATES_DIR), mode(context.templates[1].file)],
        named: context.connections, run: context.runId,
        secretInFile: readFileSync(env.SIGNALBOX_CONTEXT_FILE, "utf8").includes(env.SIGNALBOX_RUN_TOKEN) });
      const tokenPath = "/v1/oauth-providers/acme-id/token";
      const token = await call(tokenPath, {});
      const userinfo = await fetch("${as.issuer}/me", { headers: { authorization: "Bearer " + token.body.accessToken } });
      say({ token: token.status, connection: token.body.connectionId, works: userinfo.status });
      say({ own: (await call("/v1/automation-runs/${id}")).body.run.status,
        refused: [
          (await call(tokenPath, { connectionId: "${other}" })).status,
          (await call(tokenPath, { account: "other" })).status,
          (await call("/v1/templates/${secret.id}")).status,
          (await call("/v1/automation-runs/${elsewhere.id}")).status,
          (await call("/v1/templates")).status,
          (await call("/v1/me")).status,
          (await call("/v1/api-keys", { name: "mine" })).status,
          (await call("/v1/automations/${automation.id}/run", {})).status,
        ] });
      // The program prints its credential by mistake.
      console.log("the token is " + env.SIGNALBOX_RUN_TOKEN);
      console.error(JSON.stringify({ token: env.SIGNALBOX_RUN_TOKEN }));
      console.log(JSON.stringify({ type: "result", summary: "Used " + env.SIGNALBOX_RUN_TOKEN }));`;
    const runner = startRunner(server.url, key, program(script), { args: ["--once"] });
    expect(await runner.ended, runner.output.stderr).toBe(0);

    const [files, token, reach, printed] = await payloads(id);
    expect(files).toEqual({
      files: [
        ["code-review", "Body of code-review", "code-review"],
        ["agents/triage", "Body of agents/triage", "agents/triage"],
      ],
      inDir: "Body of agents/triage",
      modes: ["600", "700", "600"],
      named: [expect.objectContaining({ id: given, providerId: "acme-id", account: "default" })],
      run: id,
      secretInFile: false,
    });
    expect(token).toEqual({ token: 200, connection: given, works: 200 });
    expect(reach).toEqual({ own: "running", refused: [404, 404, 404, 404, 401, 401, 401, 401] });
    expect(printed).toEqual({ text: "the token is [run credential]" });

    // The credential ends with the run, and nothing has recorded it.
    const credential = readFileSync(join(folder, "token"), "utf8");
    expect(credential).toMatch(/^sbt_/);
    const headers = { authorization: `Bearer ${credential}` };
    for (const path of [`/v1/automation-runs/${id}`, `/v1/templates/${review.id}`])
      expect((await door.call(path, { headers })).status).toBe(401);
    const after = await door.call("/v1/oauth-providers/acme-id/token", { method: "POST", headers });
    expect(after.status).toBe(401);
    expect(existsSync(readFileSync(join(folder, "context"), "utf8"))).toBe(false);
    expect(readdirSync(join(runner.state, "work"))).toEqual([]);
    const { run } = await ask(`/v1/automation-runs/${id}`);
    expect(run).toMatchObject({ resultSummary: "Used [run credential]", automationName: "Triage" });
    const told = [JSON.stringify(await readEvents(id)), JSON.stringify(run), ...Object.values(runner.output)];
    for (const text of [...told, ...Object.values(server.output)]) expect(text).not.toContain(credential);
  });

  test("loses its credential when the run is cancelled, while it still runs", async () => {
    const { id } = await queue();
    const folder = createNotesFolder();
    const script = `
      process.on("SIGTERM", async () => {
        writeFileSync("${folder}/after", String((await call("/v1/automation-runs/${id}")).status));
        process.exit(0);
      });
      writeFileSync("${folder}/before", String((await call("/v1/automation-runs/${id}")).status));
      setInterval(() => {}, 1000);`;
    const runner = startRunner(server.url, key, program(script), { args: ["--once"] });
    expect(await waitForFile(join(folder, "before"))).toBe("200");
    await ask(`/v1/automation-runs/${id}/cancel`, undefined, "POST");
    expect(await waitForFile(join(folder, "after"))).toBe("401");
    await runner.ended;
  });

  test("leaves no files when the runner is killed: the next runner deletes them", async () => {
    const template = await makeTemplate("left-behind");
    const { id } = await queue({ templateIds: [template.id] });
    const folder = createNotesFolder();
    const script = `writeFileSync("${folder}/context", env.SIGNALBOX_CONTEXT_FILE); setInterval(() => {}, 1000);`;
    const runner = startRunner(server.url, key, program(script), { args: ["--runner-id", "killed-runner"] });
    const file = await waitForFile(join(folder, "context"));
    expect(existsSync(file)).toBe(true);
    await runner.end("SIGKILL");
    const next = startRunner(server.url, key, ["true"], {
      state: runner.state,
      args: ["--runner-id", "killed-runner"],
    });
    await next.waitForOutput(/"event":"run_ended"/);
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(join(runner.state, "work"))).toEqual([]);
    expect((await ask(`/v1/automation-runs/${id}`)).run.status).toBe("failed");
    await next.end("SIGTERM");
  });

  test("is not started when a template is gone", async () => {
    const template = await makeTemplate("gone-soon");
    const { id } = await queue({ templateIds: [template.id] });
    await ask(`/v1/templates/${template.id}`, undefined, "DELETE");
    const runner = startRunner(server.url, key, program("say({ started: true });"));
    let run: { status: string; reason: string | null } | undefined;
    while (run?.status !== "failed") {
      run = (await ask(`/v1/automation-runs/${id}`)).run;
      await sleep(50);
    }
    expect(run.reason).toBe("resource_missing");
    expect(await readEvents(id)).toEqual([]);
    await runner.end("SIGTERM");
  });
});
