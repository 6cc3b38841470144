/**
 * Connections under attack and under load: `node test/long/oauth.ts [--hijacks 1000] [--rounds 10] [--crashes 50]`.
 * Needs PostgreSQL. Ends with the one line `N passed, N failed`.
 *
 * - a URL started by one member and finished in another's browser, or in nobody's and claimed without its code;
 * - 1,000 callers in two processes with an expired token, on a server that ends the grant on reuse;
 * - a process killed between the provider's answer and the commit;
 * - a provider that never answers, by the real clock.
 */
import { parseArgs } from "node:util";
import { approve } from "../fixtures/authorization-server.ts";
import { openCallback, readConnectionStatus, requestAuthorizeUrl } from "../oauth.ts";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { cleanUp } from "../process/kit.ts";
import {
  crashDuringRefresh,
  findSecretsInOutput,
  type OAuthDeployment,
  providerId,
  refreshConcurrently,
  signUpAt,
  startDeployment,
} from "../process/oauth.ts";

const { values } = parseArgs({
  options: {
    hijacks: { type: "string", default: "1000" },
    rounds: { type: "string", default: "10" },
    crashes: { type: "string", default: "50" },
  },
});
let passed = 0;
let failed = 0;

async function show(name: string, work: () => Promise<string[]>): Promise<void> {
  const started = performance.now();
  const wrong = await work().catch((error: Error) => [error.stack ?? error.message]);
  if (wrong.length) failed++;
  else passed++;
  console.log(`${wrong.length ? "✗" : "✓"} ${name} (${Math.round((performance.now() - started) / 1000)} s)`);
  for (const line of wrong.slice(0, 10)) console.log(`  ${line}`);
}

async function times(count: number, work: (i: number) => Promise<string | undefined>): Promise<string[]> {
  const wrong: string[] = [];
  for (let i = 0; i < count; i++) {
    const found = await work(i);
    if (found) wrong.push(`${i}: ${found}`);
  }
  return wrong;
}

/** One try at getting somebody else's grant, in each of the ways there are. */
async function hijack(deployment: OAuthDeployment, i: number): Promise<string | undefined> {
  const [client] = deployment.clients as [OAuthDeployment["clients"][number]];
  const label = `hijack-${i}`;
  const back = await approve(
    await requestAuthorizeUrl(client, deployment.member.auth, providerId, `?account=${label}`),
    `victim-${i}`,
  );
  const victim = i % 2 ? others[i % others.length] : undefined;
  const page = await openCallback(client, back, victim);
  if (victim ? page.status !== 400 : !page.body.includes("One more step"))
    return `the page was ${page.status}`;
  const guess = Array.from(
    { length: 10 },
    () => "23456789ABCDEFGHJKLMNPQRSTUVWX"[Math.floor(Math.random() * 30)],
  ).join("");
  const claim = await client.call(`/v1/oauth-providers/${providerId}/connect/claim`, {
    body: { code: guess },
    headers: deployment.member.auth,
  });
  if (claim.status !== 404) return `a claim without the code got ${claim.status}`;
  if ((await openCallback(client, back, deployment.member)).status !== 400)
    return "the state could be used again";
  const { connections } = await readConnectionStatus(client, deployment.member.auth, providerId);
  return connections.some(({ account }: { account: string }) => account === label)
    ? "it is connected"
    : undefined;
}

if (!(await isPostgresAvailable())) {
  console.log("!!! No PostgreSQL: set TEST_DATABASE_URL. NOTHING WAS TRIED.");
  process.exit(1);
}
const database = await makeDatabase("sbx_long");
const deployment = await startDeployment(database.url, 2);
const others = await Promise.all(
  Array.from({ length: 5 }, (_, i) => signUpAt(deployment.clients[0]!, `Victim${i}`)),
);

await show(`${values.hijacks} hijacks connect nothing`, () =>
  times(Number(values.hijacks), (i) => hijack(deployment, i)),
);
await show(`${values.rounds} storms of 1,000 callers in two processes`, () =>
  times(Number(values.rounds), () => refreshConcurrently(deployment, 1000)),
);
await show("a provider that never answers ends nothing", async () => {
  await deployment.expire();
  deployment.as.intercept = (request) => request.url === "/token";
  const started = Date.now();
  const reply = await deployment.token(0);
  const seconds = (Date.now() - started) / 1000;
  deployment.as.intercept = undefined;
  if (reply.status !== 503 || seconds > 16) return [`${reply.status} after ${seconds} s`];
  await deployment.expire();
  const after = await deployment.token(0);
  return after.status === 200 && deployment.as.reuses === 0 ? [] : [`afterwards ${after.status}`];
});
await show(`${values.crashes} crashes between answer and commit replay nothing`, () =>
  times(Number(values.crashes), (i) => crashDuringRefresh(deployment, (i % 10) / 2)),
);
console.log(`  ${deployment.uncertain} of them left it uncertain; the others had committed`);
await show("nothing secret is in the log", async () =>
  findSecretsInOutput(deployment).map((secret) => `${secret.slice(0, 8)}…`),
);

await deployment.close();
await cleanUp();
await database.drop();
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
