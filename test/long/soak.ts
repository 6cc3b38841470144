/**
 * An hour at half of what the server can take: `npm run test:soak -- [--minutes 60] [--embedded]`. First it measures the
 * peak for 30 s. Then it prints a line a minute. It fails when requests fail, when memory grows by more than 100 MB an
 * hour after the first quarter, when the p99 of the last quarter is more than twice that of the second, when the log has
 * an error, or when the server does not end with 0. Ends with the one line `N passed, N failed`.
 */
import { parseArgs } from "node:util";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { cleanUp, freshFolder, serve } from "../process/kit.ts";
import { webhookSecret } from "../process/webhook-deliveries.ts";
import { createLoad } from "../soak/load.ts";
import { judgeSoak, measurePeak, soak } from "../soak/soak.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "60" }, embedded: { type: "boolean", default: false } },
});
const seconds = Number(values.minutes) * 60;
const database = !values.embedded && (await isPostgresAvailable()) ? await makeDatabase() : undefined;
const server = await serve(database ? undefined : freshFolder(), {
  ...(database ? { DATABASE_URL: database.url, PROCESSES: "1" } : {}),
  SIGNALBOX_SECRET: "a secret for the soak test, long enough",
  CODEHOST_WEBHOOK_SECRET: webhookSecret,
  LOG_LEVEL: "error",
});
const works = await createLoad(server.url);
const peak = await measurePeak(works, 30);
console.log(
  `${database ? "PostgreSQL" : "embedded"}: peak ${Math.round(peak)} requests/s, soaking at half of it`,
);
const result = await soak({
  works,
  pid: server.pid,
  peak,
  seconds,
  windowSeconds: Math.min(60, seconds / 8),
  onWindow: ({ at, requests, failed, p50, p99, memory }) =>
    console.log(
      `${String(at).padStart(5)} s  ${requests} requests, ${failed} failed, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${Math.round(memory)} MB`,
    ),
});
const log = server.output.stderr.split("\n").filter((line) => line.trim() !== "");
const ended = await server.end("SIGTERM");
const verdicts = [
  ...judgeSoak(result),
  { name: "the log has no error", problem: log[0] },
  { name: "the server ends with 0", problem: ended === 0 ? undefined : String(ended) },
];
for (const [failure, times] of Object.entries(result.failures)) console.log(`${times} × ${failure}`);
for (const { name, problem } of verdicts)
  console.log(problem === undefined ? `✓ ${name}` : `✗ ${name}: ${problem}`);
await cleanUp();
await database?.drop();
const failed = verdicts.filter(({ problem }) => problem !== undefined).length;
console.log(`\n${verdicts.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
