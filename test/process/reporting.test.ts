import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, inject, test } from "vitest";
import { isPostgresAvailable, makeDatabase, postgresUrl } from "../postgres.ts";
import { cleanUp, copyFolder, type Env, freePort, type RunningServer, serve } from "./kit.ts";
import { openProxy } from "./proxy.ts";
import { callServer, createQueuedRuns, findReportingFaults, startReporter } from "./reporting.ts";

afterAll(cleanUp);

const secret = "a secret for the tests, long enough";
const onPostgres = await isPostgresAvailable();

/** Three reporters; the server is killed and started again so many times while they report. */
async function killWhileReporting(kills: number, dataDir: string | undefined, env: Env): Promise<void> {
  const settings = { ...env, PORT: await freePort(), LOG_LEVEL: "warn" };
  let server: RunningServer = await serve(dataDir, settings);
  const { access, runIds } = await createQueuedRuns(server.url, 3);
  const reporters = runIds.map((runId) => startReporter(access, runId));
  for (let kill = 0; kill < kills; kill++) {
    await pause(300 + Math.random() * 700);
    await server.end("SIGKILL");
    server = await serve(dataDir, settings);
  }
  await pause(500);
  await Promise.all(reporters.map((reporter) => reporter.stop()));
  for (const reporter of reporters) {
    expect(await findReportingFaults(access, reporter)).toEqual([]);
    expect(reporter.acknowledged.length).toBeGreaterThan(10);
    expect(reporter.refusals.unreachable).toBeGreaterThan(0);
    const done = await callServer(access, `/v1/automation-runs/${reporter.runId}/complete`, {
      attempt: 1,
      status: "succeeded",
    });
    expect(done.status).toBe(200);
  }
  await server.end("SIGTERM");
}

describe("a server that is killed while three reporters report", () => {
  test("embedded: has every acknowledged event once and in order", async () => {
    await killWhileReporting(3, copyFolder(inject("preparedFolder")), {});
  }, 120_000);

  test.skipIf(!onPostgres)(
    "on PostgreSQL: has every acknowledged event once and in order",
    async () => {
      const database = await makeDatabase();
      await killWhileReporting(3, undefined, { DATABASE_URL: database.url, SIGNALBOX_SECRET: secret });
      await database.drop();
    },
    120_000,
  );
});

describe.skipIf(!onPostgres)("a server that loses its PostgreSQL", () => {
  test("answers 503 with Retry-After, and continues by itself when the database is back", async () => {
    const database = await makeDatabase();
    const { hostname, port } = new URL(postgresUrl);
    const proxy = await openProxy(hostname, Number(port || 5432));
    const throughProxy = Object.assign(new URL(database.url), {
      hostname: "127.0.0.1",
      port: String(proxy.port),
    });
    const server = await serve(undefined, {
      DATABASE_URL: throughProxy.href,
      SIGNALBOX_SECRET: secret,
      LOG_LEVEL: "silent",
    });
    const { access, runIds } = await createQueuedRuns(server.url, 3);
    const reporters = runIds.map((runId) => startReporter(access, runId));
    for (let cut = 0; cut < 3; cut++) {
      await pause(400);
      proxy.cut();
      await pause(300);
      const path = `/v1/automation-runs/${runIds[0]}/complete`;
      const away = await callServer(access, path, { attempt: 1, status: "succeeded" });
      expect({ status: away.status, error: away.body.error }).toEqual({
        status: 503,
        error: "service_unavailable",
      });
      expect(Number(away.headers.get("retry-after"))).toBeGreaterThan(0);
      proxy.mend();
    }
    await pause(1_500);
    await Promise.all(reporters.map((reporter) => reporter.stop()));
    for (const reporter of reporters) {
      expect(await findReportingFaults(access, reporter)).toEqual([]);
      expect(reporter.acknowledged.length).toBeGreaterThan(10);
      expect(reporter.refusals).toMatchObject({ unreachable: 0, withoutRetryAfter: 0 });
      expect(reporter.refusals.unavailable).toBeGreaterThan(0);
    }
    expect((await fetch(`${server.url}/ready`)).status).toBe(200);
    await server.end("SIGTERM");
    await proxy.close();
    await database.drop();
  }, 60_000);
});
