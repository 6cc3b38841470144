import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { createPostgres, createStandby, findPostgresPrograms, type OwnPostgres } from "../own-postgres.ts";
import { cleanUp, serve } from "./kit.ts";
import { createQueuedRuns, findReportingFaults, type Reporter, startReporter } from "./reporting.ts";

const bin = findPostgresPrograms();
if (!bin) console.log("!!! No initdb here: the failover of PostgreSQL IS SKIPPED.");

const servers: OwnPostgres[] = [];
afterAll(async () => {
  await cleanUp();
  await Promise.all(servers.map((server) => server.remove()));
});

/** A server and a standby. A commit is acknowledged when both have it. */
async function createPair(): Promise<[OwnPostgres, OwnPostgres]> {
  const primary = await createPostgres(bin!);
  servers.push(primary);
  const standby = await createStandby(bin!, primary, "second");
  servers.push(standby);
  await primary.query("alter system set synchronous_standby_names = 'second'");
  await primary.query("select pg_reload_conf()");
  const states = async () => (await primary.query("select sync_state from pg_stat_replication")).rows;
  await expect.poll(states, { timeout: 30_000 }).toEqual([{ sync_state: "sync" }]);
  return [primary, standby];
}

const count = (reporters: readonly Reporter[]) =>
  reporters.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);

describe.skipIf(!bin)("when PostgreSQL is killed and its standby takes over", () => {
  test("callers get 503 with Retry-After meanwhile, the service recovers by itself, and nothing is lost", async () => {
    const [primary, standby] = await createPair();
    const server = await serve(undefined, {
      // The standby comes first: the service has to find out who can be written to.
      DATABASE_URL: `postgres://signalbox@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres?target_session_attrs=read-write`,
      SIGNALBOX_SECRET: "a secret for the tests, long enough",
      LOG_LEVEL: "silent",
    });
    const { access, runIds } = await createQueuedRuns(server.url, 3);
    const reporters = runIds.map((runId) => startReporter(access, runId));
    await expect.poll(() => count(reporters), { timeout: 30_000 }).toBeGreaterThan(100);

    await primary.kill();
    const refused = () => reporters.every(({ refusals }) => refusals.unavailable > 0);
    await expect.poll(refused, { timeout: 60_000 }).toBe(true);
    expect((await server.call("/ready")).status).toBe(503);
    expect((await server.call("/health")).status).toBe(200);
    const before = count(reporters);
    await standby.promote();
    const promoted = performance.now();
    // The bound only ends a test that hangs. The time is printed.
    await expect.poll(() => count(reporters), { timeout: 60_000, interval: 10 }).toBeGreaterThan(before);
    console.log(`Recovered ${Math.round(performance.now() - promoted)} ms after the promotion.`);
    await pause(500);

    await Promise.all(reporters.map((reporter) => reporter.stop()));
    for (const reporter of reporters) {
      expect(await findReportingFaults(access, reporter)).toEqual([]);
      expect(reporter.refusals).toMatchObject({ unreachable: 0, withoutRetryAfter: 0 });
    }
    // Notifications and jobs have moved too.
    const metrics = async () => (await server.call("/metrics")).body as unknown as string;
    await expect.poll(metrics, { timeout: 30_000 }).toContain("\nbus_up 1\n");
    expect((await server.call("/ready")).status).toBe(200);
    expect(await server.end("SIGTERM")).toBe(0);
  }, 180_000);

  test("a server that hangs is left too, and what it has acknowledged is not lost when it wakes up", async () => {
    const [primary, standby] = await createPair();
    const server = await serve(undefined, {
      DATABASE_URL: `postgres://signalbox@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`,
      SIGNALBOX_SECRET: "a secret for the tests, long enough",
      LOG_LEVEL: "silent",
    });
    const { access, runIds } = await createQueuedRuns(server.url, 3);
    const reporters = runIds.map((runId) => startReporter(access, runId));
    await expect.poll(() => count(reporters), { timeout: 30_000 }).toBeGreaterThan(100);

    await primary.freeze();
    const frozen = performance.now();
    await standby.promote();
    const before = count(reporters);
    await expect
      .poll(() => count(reporters), { timeout: 120_000, interval: 10 })
      .toBeGreaterThan(before + 50);
    console.log(`Recovered ${Math.round(performance.now() - frozen)} ms after the server hung.`);
    // The old server still takes itself for the primary.
    await primary.thaw();
    await pause(1_000);

    await Promise.all(reporters.map((reporter) => reporter.stop()));
    for (const reporter of reporters) {
      expect(await findReportingFaults(access, reporter)).toEqual([]);
      expect(reporter.refusals).toMatchObject({ withoutRetryAfter: 0 });
    }
    expect(await server.end("SIGTERM")).toBe(0);
  }, 240_000);
});
