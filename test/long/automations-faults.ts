/**
 * What a supervisor, a power cut and a sleeping laptop do to reporting, many times over:
 * `node test/long/automations-faults.ts [--kills 20]`. Ends with the one line `N passed, N failed`.
 *
 * - the server killed with SIGKILL while three reporters report, on each engine;
 * - PostgreSQL itself killed or restarted (a cluster of its own, made for this; needs initdb);
 * - a reporter silent past its lease, by the real clock, while another takes over.
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createPostgres, findPostgresPrograms } from "../own-postgres.ts";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { cleanUp, type Env, freePort, freshFolder, type RunningServer, serve } from "../process/kit.ts";
import {
  callServer,
  createQueuedRuns,
  findReportingFaults,
  type Reporter,
  startReporter,
} from "../process/reporting.ts";

const { values } = parseArgs({ options: { kills: { type: "string", default: "20" } } });
const kills = Number(values.kills);
const secret = "a secret for the tests, long enough";
let passed = 0;
let failed = 0;

async function show(name: string, work: () => Promise<string[]>): Promise<void> {
  const started = performance.now();
  const wrong = await work().catch((error: Error) => [error.stack ?? error.message]);
  if (wrong.length) failed++;
  else passed++;
  console.log(`${wrong.length ? "✗" : "✓"} ${name} (${Math.round((performance.now() - started) / 1000)} s)`);
  for (const line of wrong) console.log(`  ${line}`);
}

/** Stops the reporters and checks the stored events. */
async function judge(
  access: Parameters<typeof findReportingFaults>[0],
  reporters: Reporter[],
): Promise<string[]> {
  await Promise.all(reporters.map((reporter) => reporter.stop()));
  const wrong: string[] = [];
  for (const reporter of reporters) {
    wrong.push(...(await findReportingFaults(access, reporter)));
    if (reporter.refusals.withoutRetryAfter) wrong.push("A 503 did not say when to come back.");
  }
  const acknowledged = reporters.reduce((sum, reporter) => sum + reporter.acknowledged.length, 0);
  console.log(`  ${acknowledged} events were acknowledged`);
  return wrong;
}

async function killServer(dataDir: string | undefined, env: Env): Promise<string[]> {
  const settings = { ...env, PORT: await freePort(), LOG_LEVEL: "silent" };
  let server: RunningServer = await serve(dataDir, settings);
  const { access, runIds } = await createQueuedRuns(server.url, 3);
  const reporters = runIds.map((runId) => startReporter(access, runId));
  for (let kill = 0; kill < kills; kill++) {
    await pause(Math.random() * 1_500);
    await server.end("SIGKILL");
    server = await serve(dataDir, settings);
  }
  await pause(1_000);
  const wrong = await judge(access, reporters);
  await server.end("SIGTERM");
  return wrong;
}

async function restartPostgres(bin: string): Promise<string[]> {
  const postgres = await createPostgres(bin);
  try {
    const env = { DATABASE_URL: postgres.url, SIGNALBOX_SECRET: secret, LOG_LEVEL: "silent" };
    const server = await serve(undefined, env);
    const { access, runIds } = await createQueuedRuns(server.url, 3);
    const reporters = runIds.map((runId) => startReporter(access, runId));
    for (let restart = 0; restart < Math.ceil(kills / 2); restart++) {
      await pause(500 + Math.random() * 1_500);
      await postgres.restart(restart % 2 ? "fast" : "immediate");
    }
    await pause(3_000);
    const wrong = await judge(access, reporters);
    if (reporters.some(({ refusals }) => refusals.unreachable > 0)) wrong.push("The server itself was away.");
    if (!reporters.some(({ refusals }) => refusals.unavailable > 0)) wrong.push("Nobody was told to wait.");
    await server.end("SIGTERM");
    return wrong;
  } finally {
    await postgres.remove();
  }
}

/** By the real clock: a lease is 60 s. */
async function sleepPastLease(): Promise<string[]> {
  const server = await serve(freshFolder(), { LOG_LEVEL: "silent" });
  const { access, runIds } = await createQueuedRuns(server.url, 1);
  const [runId] = runIds as [string];
  const runner = async (runnerId: string) => {
    const { body } = await callServer(access, "/v1/automation-runners/token", { runnerId });
    return { ...access, headers: { authorization: `Bearer ${body.token}` } };
  };
  const [sleeper, other] = [await runner("the-sleeping-laptop"), await runner("the-other-machine")];
  const event = (attempt: number, sequence: number) => ({
    attempt,
    sequence,
    type: "assistant",
    payload: { attempt, sequence },
    createdAt: Date.now(),
  });
  const path = `/v1/automation-runs/${runId}`;
  await callServer(sleeper, `${path}/claim`, undefined, "POST");
  for (const n of [0, 1, 2]) await callServer(sleeper, `${path}/events`, event(1, n));
  await pause(66_000);
  const claimed = await callServer(other, `${path}/claim`, undefined, "POST");
  await callServer(other, `${path}/events`, event(2, 0));
  const late = [
    await callServer(sleeper, `${path}/events`, event(1, 3)),
    await callServer(sleeper, `${path}/events/batch`, { events: [event(1, 3), event(1, 4)] }),
    await callServer(sleeper, `${path}/heartbeat`, { attempt: 1 }),
    await callServer(sleeper, `${path}/complete`, { attempt: 1, status: "succeeded" }),
  ];
  const done = await callServer(other, `${path}/complete`, { attempt: 2, status: "succeeded" });
  const { body: events } = await callServer(access, `${path}/events`);
  const { body: kept } = await callServer(access, `${path}/late-reports`);
  const wrong: string[] = [];
  if (claimed.body.assignment?.attempt !== 2) wrong.push("The other machine did not get the second attempt.");
  if (late.some(({ body }) => body.error !== "runner_lease_lost"))
    wrong.push("A late report was not refused as one.");
  if (done.status !== 200) wrong.push("The other machine could not complete the run.");
  const stored = events.items.map(
    (one: { attempt: number; sequence: number }) => `${one.attempt}.${one.sequence}`,
  );
  if (stored.join() !== "1.0,1.1,1.2,2.0") wrong.push(`Stored are ${stored.join()}.`);
  // Sent at different times, the two of sequence 3 differ by their clock.
  if (kept.items.length !== 4) wrong.push(`${kept.items.length} late reports were kept.`);
  await server.end("SIGTERM");
  return wrong;
}

const onPostgres = await isPostgresAvailable();
await show(`${kills} times SIGKILL, embedded`, () => killServer(freshFolder(), {}));
if (onPostgres) {
  await show(`${kills} times SIGKILL, on PostgreSQL`, async () => {
    const database = await makeDatabase();
    const env = { DATABASE_URL: database.url, SIGNALBOX_SECRET: secret };
    return killServer(undefined, env).finally(() => database.drop());
  });
} else console.log("!!! No PostgreSQL: set TEST_DATABASE_URL. Killing the server on it IS SKIPPED.");
const bin = findPostgresPrograms();
if (bin) await show(`PostgreSQL restarted ${Math.ceil(kills / 2)} times`, () => restartPostgres(bin));
else console.log("!!! No initdb here: restarting PostgreSQL IS SKIPPED.");
await show("silent past the lease", sleepPastLease);
await cleanUp();
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
