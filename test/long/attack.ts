/**
 * Requests that are made from openapi.json, to a server with two tenants: valid, mutated and hostile ones.
 * `npm run test:attack -- [--requests 50000] [--seed N] [--embedded]`. On PostgreSQL where it runs, about ten minutes on
 * two cores. Ends with the one line `N passed, N failed`; each request counts as one.
 */
import { parseArgs } from "node:util";
import { attack } from "../attack/attack.ts";
import { createAttacker, readOwnIds, withoutShared } from "../attack/tenants.ts";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { cleanUp, freshFolder, serve, signalbox } from "../process/kit.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "50000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    embedded: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const database = !values.embedded && (await isPostgresAvailable()) ? await makeDatabase() : undefined;
const dataDir = database ? undefined : freshFolder();
const env: Record<string, string> = {
  ...(database ? { DATABASE_URL: database.url } : {}),
  SIGNALBOX_SECRET: "a secret for the attack, long enough",
  CODEHOST_WEBHOOK_SECRET: "secret of the code host",
  SIGNUP: "open",
  LOG_LEVEL: "error",
};
console.log(`seed ${seed}, ${database ? "PostgreSQL" : "embedded"}`);
const server = await serve(dataDir, env);
const filled = await signalbox(["demo", "--json"], dataDir, env);
const demo = JSON.parse(filled.stdout.trim().split("\n").at(-1)!) as {
  organization: { name: string };
  people: { email: string }[];
  password: string;
  key: string;
};
const other = await createAttacker(server.url);
const result = await attack({
  url: server.url,
  victim: {
    ids: withoutShared(await readOwnIds(server.url, { "x-api-key": demo.key }), other.ids),
    words: [demo.key, demo.password, demo.organization.name, ...demo.people.map(({ email }) => email)],
  },
  seed,
  count: Number(values.requests),
  onProgress: (sent) => sent % 5_000 === 0 && console.log(`${sent} requests`),
});
const { problems } = result;
const log = server.output.stderr.split("\n").filter((line) => /"level":"?(?:error|fatal|50|60)/.test(line));
problems.push(...log.slice(0, 20).map((line) => `the log has an error: ${line}`));
const ended = await server.end("SIGTERM");
if (ended !== 0) problems.push(`the server ended with ${ended}`);
for (const problem of problems) console.log(`✗ ${problem}`);
console.log("answers", result.statuses);
console.log("succeeded", result.succeeded);
await cleanUp();
await database?.drop();
console.log(`\n${result.sent - problems.length} passed, ${problems.length} failed`);
process.exit(problems.length === 0 ? 0 : 1);
