import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, afterEach, describe, expect, inject, test } from "vitest";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { cleanUp, copyFolder, type Env, freePort, killAll, serve, signalbox, start } from "./kit.ts";

afterAll(cleanUp);
afterEach(killAll);

const hasPostgres = await isPostgresAvailable();

/** Splits the printed curl lines into arguments, as a shell does. */
const curlsIn = (text: string) =>
  [...text.matchAll(/^ {2}curl (.*)$/gm)].map(([, line]) =>
    [...line!.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!),
  );
const curl = async (args: string[]) =>
  JSON.parse((await promisify(execFile)("curl", ["-sSf", ...args])).stdout);

/** Creates, uses and removes the demo, on a running or a stopped instance. */
async function tryIt(dataDir: string | undefined, env: Env, isRunning: boolean): Promise<void> {
  let server = isRunning ? await serve(dataDir, env) : undefined;
  const began = performance.now();
  const made = await signalbox(["demo", "--seed", "seven"], dataDir, env);
  const tookMs = performance.now() - began;
  expect(made.code, made.stderr).toBe(0);
  expect(tookMs).toBeLessThan(60_000);
  expect(made.stderr).toMatch(/^Adding 8 people, [^\n]*…\nAdding 10 automations with \d+ runs/);
  const key = /sbx_\w+/.exec(made.stdout)![0];
  const password = /password of everybody +(\S+)$/m.exec(made.stdout)![1]!;
  if (!server) expect(made.stdout).toContain("Try it while the service runs (`signalbox serve`):");
  server ??= await serve(dataDir, env);

  if (isRunning) {
    const lines = curlsIn(made.stdout);
    expect(lines).toHaveLength(2);
    expect(await curl(lines[0]!)).toMatchObject({ budget: { state: "within" } });
    expect((await curl(lines[1]!)).items.length).toBeGreaterThan(2);
  }
  const headers = { "x-api-key": key };
  const me = await server.call("/v1/me", { headers });
  expect(me.body).toMatchObject({ user: { email: "ada@northwind.example" }, credential: "key" });
  for (const email of ["ada@northwind.example", "hana@northwind.example"])
    expect((await server.call("/api/auth/sign-in/email", { body: { email, password } })).status).toBe(200);
  const statuses = new Set<string>();
  for (let cursor = ""; ; ) {
    const { status, body } = await server.call(`/v1/automation-runs?limit=100${cursor}`, { headers });
    expect(status).toBe(200);
    for (const run of body.items) statuses.add(run.status);
    if (body.nextCursor === null) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  expect([...statuses].sort()).toEqual(["cancelled", "failed", "queued", "running", "skipped", "succeeded"]);

  const [audit, sealed, doctor, mail, again] = await Promise.all([
    signalbox(["audit", "verify"], dataDir, env),
    signalbox(["reseal", "--check"], dataDir, env),
    signalbox(["doctor"], dataDir, env),
    signalbox(["mail"], dataDir, env),
    signalbox(["demo"], dataDir, env),
  ]);
  expect(audit.code, audit.stdout).toBe(0);
  expect(sealed.code, sealed.stdout).toBe(0);
  expect(doctor.code, doctor.stdout).toBe(0);
  expect(mail.stdout).toBe("There are no mails.\n");
  expect(again).toMatchObject({ code: 1, stdout: "" });
  expect(again.stderr).toMatch(/^This instance has people in it already\.[^\n]*\n$/);

  const env2 = { ...env, SIGNALBOX_URL: server.url, SIGNALBOX_API_KEY: key };
  const listed = await signalbox(["runs", "list", "--status", "failed", "--json"], undefined, env2);
  expect(JSON.parse(listed.stdout).items.map(({ reason }: { reason: string }) => reason)).toEqual(
    expect.arrayContaining(["reported", "timed_out"]),
  );

  const removed = await signalbox(["demo", "--remove"], dataDir, env);
  expect(removed).toMatchObject({ code: 0, stderr: "" });
  expect(removed.stdout).toMatch(/^Northwind Robotics, \d+ runs and 8 people are removed\.\n$/);
  expect((await server.call("/v1/me", { headers })).status).toBe(401);
  expect((await signalbox(["audit", "verify"], dataDir, env)).code).toBe(0);
  expect(await signalbox(["demo", "--remove"], dataDir, env)).toMatchObject({ code: 1, stdout: "" });
  const json = await signalbox(["demo", "--json"], dataDir, env);
  expect(json.stderr).toBe("");
  expect(JSON.parse(json.stdout)).toMatchObject({ seed: "1", organization: { slug: "northwind-robotics" } });
  await server.end("SIGTERM");
}

describe("signalbox demo", () => {
  test("works on the embedded database, while it is stopped", () =>
    tryIt(copyFolder(inject("preparedFolder")), {}, false));

  test("works on the embedded database, while it serves", () =>
    tryIt(copyFolder(inject("preparedFolder")), {}, true));

  test.skipIf(!hasPostgres)("works on PostgreSQL, while it serves", async () => {
    const database = await makeDatabase();
    const PORT = await freePort();
    const env = { PORT, DATABASE_URL: database.url, SIGNALBOX_SECRET: "a secret for the tests, long enough" };
    try {
      await tryIt(undefined, env, true);
    } finally {
      await killAll();
      await database.drop();
    }
  });

  test("removes a workspace with another member only with --force", async () => {
    const dataDir = copyFolder(inject("preparedFolder"));
    const server = await serve(dataDir);
    const { key } = JSON.parse((await signalbox(["demo", "--json"], dataDir)).stdout);
    const zoe = { name: "Zoe", email: "zoe@example.com", password: "correct horse battery" };
    const { token } = (await server.call("/api/auth/sign-up/email", { body: zoe })).body;
    const invited = await server.call("/v1/invitations", {
      headers: { "x-api-key": key },
      body: { email: zoe.email, role: "member" },
    });
    const accepted = await server.call("/v1/invitations/accept", {
      headers: { authorization: `Bearer ${token}` },
      body: { token: invited.body.token },
    });
    expect(accepted.status).toBe(200);

    const refused = await signalbox(["demo", "--remove"], dataDir);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      /^Northwind Robotics has 1 member who is not from the demo: Zoe \(zoe@example\.com\)\. [^\n]* `signalbox demo --remove --force`\.\n$/,
    );
    expect((await server.call("/v1/me", { headers: { "x-api-key": key } })).status).toBe(200);
    const removed = await signalbox(["demo", "--remove", "--force"], dataDir);
    expect(removed.stdout).toMatch(/^Northwind Robotics, \d+ runs and 8 people are removed\.\n$/);
    await server.end("SIGTERM");
  });

  test("leaves nothing when it is killed in the middle, and can be run again", async () => {
    const dataDir = copyFolder(inject("preparedFolder"));
    const first = start(["demo"], { DATA_DIR: dataDir });
    await first.waitForOutput(/Adding templates/);
    expect(await first.end("SIGKILL")).toBe("SIGKILL");
    const second = await signalbox(["demo"], dataDir);
    expect(second.code, second.stderr).toBe(0);
    expect((await signalbox(["audit", "verify"], dataDir)).code).toBe(0);
  });

  test("explains wrong arguments in one sentence", async () => {
    const dataDir = copyFolder(inject("preparedFolder"));
    for (const [args, message] of [
      [["--now", "yesterday"], /^--now yesterday is not a valid time\. [^\n]*\n$/],
      [["--remove", "--seed", "2"], /^--remove takes no --seed[^\n]*\n$/],
      [["--force"], /^--force is for --remove\. [^\n]*\n$/],
    ] as const) {
      const { code, stderr } = await signalbox(["demo", ...args], dataDir);
      expect(code).toBe(2);
      expect(stderr).toMatch(message);
    }
    const old = await signalbox(["demo", "--now", "2020-01-01T00:00:00Z"], dataDir);
    expect(old).toMatchObject({ code: 1, stdout: "" });
    expect(old.stderr).toMatch(/^The 30 days must end within the last 30 days\./);
  });
});
