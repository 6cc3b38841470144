import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPgBouncer, findPgBouncer, type OwnPgBouncer } from "../own-postgres.ts";
import { isPostgresAvailable, makeDatabase, postgresUrl } from "../postgres.ts";
import { ada, cleanUp, type Env, serve, signalbox } from "./kit.ts";
import { callServer, createQueuedRuns, findReportingFaults, startReporter } from "./reporting.ts";

const program = findPgBouncer();
const isPossible = program !== undefined && (await isPostgresAvailable());
if (!isPossible) console.log("!!! No PgBouncer or no PostgreSQL here: its tests ARE SKIPPED.");

describe.skipIf(!isPossible)("behind PgBouncer", () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let transactions: OwnPgBouncer;
  let sessions: OwnPgBouncer;
  let env: Env;
  beforeAll(async () => {
    database = await makeDatabase();
    const { hostname, port, username } = new URL(postgresUrl);
    const server = { host: hostname, port: port || "5432", user: username };
    [transactions, sessions] = await Promise.all([
      createPgBouncer(program!, server, "transaction"),
      createPgBouncer(program!, server, "session"),
    ]);
    env = { SIGNALBOX_SECRET: "a secret for the tests, long enough" };
  });
  afterAll(async () => {
    await cleanUp();
    await Promise.all([transactions?.remove(), sessions?.remove()]);
    await database?.drop();
  });
  const through = (pooler: OwnPgBouncer) => `${pooler.url}/${database.name}`;

  test("in transaction mode, without a direct URL, the start says what to do", async () => {
    const { code, stdout, stderr } = await signalbox(["serve"], undefined, {
      ...env,
      DATABASE_URL: through(transactions),
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^DATABASE_URL leads to a connection pooler[^\n]*set DATABASE_DIRECT_URL[^\n]*\n$/,
    );
    const second = await signalbox(["migrate"], undefined, {
      ...env,
      DATABASE_URL: through(transactions),
      DATABASE_DIRECT_URL: through(transactions),
    });
    expect(second.stderr).toMatch(/^DATABASE_DIRECT_URL leads to a connection pooler too\./);
  });

  test("in transaction mode, two instances migrate, report, announce and do jobs", async () => {
    const pooled: Env = {
      ...env,
      DATABASE_URL: through(transactions),
      DATABASE_DIRECT_URL: database.url,
      LOG_LEVEL: "warn",
    };
    const [api, worker] = await Promise.all([
      serve(undefined, pooled, ["--role", "api"]),
      serve(undefined, pooled, ["--role", "worker"]),
    ]);
    const { access, runIds } = await createQueuedRuns(api.url, 5);
    const [watched, ...others] = runIds;
    const reporters = others.map((runId) => startReporter(access, runId));
    await expect
      .poll(() => Math.min(...reporters.map((one) => one.acknowledged.length)), { timeout: 60_000 })
      .toBeGreaterThan(50);
    await Promise.all(reporters.map((reporter) => reporter.stop()));
    for (const reporter of reporters) expect(await findReportingFaults(access, reporter)).toEqual([]);

    // The sign-up adds a mail, whose job the worker gets by a notification or a poll.
    expect((await api.call("/api/auth/sign-up/email", { body: ada })).status).toBe(200);
    const mail = await signalbox(["mail", "--last"], undefined, pooled);
    expect(mail.stdout).toContain(`To: ${ada.email}`);

    // Another instance learns about an event by a notification. It polls only once a minute.
    const other = await serve(undefined, pooled, ["--role", "api"]);
    const leave = new AbortController();
    const stream = await fetch(`${other.url}/v1/automation-runs/${watched}/stream`, {
      headers: access.headers,
      signal: leave.signal,
    });
    let received = "";
    void (async () => {
      for await (const part of stream.body!.pipeThrough(new TextDecoderStream())) received += part;
    })().catch(() => {});
    await expect.poll(() => received).toContain("retry:");
    await callServer(access, `/v1/automation-runs/${watched}/events`, {
      attempt: 1,
      sequence: 0,
      type: "assistant",
      payload: { text: "told by a notification" },
      createdAt: Date.now(),
    });
    await expect.poll(() => received, { timeout: 20_000 }).toContain("told by a notification");
    leave.abort();
    for (const server of [api, worker, other]) {
      expect(server.output.stderr).toBe("");
      const metrics: string = (await server.call("/metrics")).body as never;
      expect(metrics).toContain("\nbus_up 1\n");
    }
    expect(await Promise.all([api, worker, other].map((server) => server.end("SIGTERM")))).toEqual([0, 0, 0]);
  });

  test("in session mode, no direct URL is needed", async () => {
    const server = await serve(undefined, { ...env, DATABASE_URL: through(sessions), DATABASE_POOL: "2" });
    expect((await server.call("/ready")).status).toBe(200);
    expect(await server.end("SIGTERM")).toBe(0);
  });
});
