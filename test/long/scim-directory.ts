/**
 * A directory of 10,000 users and 500 groups, synchronized twice on each engine:
 * `node test/long/scim-directory.ts [--users 10000] [--groups 500] [--engine both|postgres|pglite]`. It takes about ten
 * minutes. It prints time, requests and statements, and fails if the second synchronization writes a row.
 */
import { isDeepStrictEqual, parseArgs } from "node:util";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/platform/config.ts";
import { openPglite, openPostgres, sql } from "../../src/platform/db/index.ts";
import { listen } from "../../src/platform/http/index.ts";
import { newId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { openPlatform } from "../../src/platform/open.ts";
import { type Call, countStatements, describeRows, synchronize } from "../fixtures/scim/synchronize.ts";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "10000" },
    groups: { type: "string", default: "500" },
    engine: { type: "string", default: "both" },
  },
});
const plan = {
  users: Number(values.users),
  groups: Number(values.groups),
  membersPerGroup: 100,
  domain: "directory.example.com",
};

async function measure(kind: string): Promise<boolean> {
  const database = kind === "postgres" ? await makeDatabase("sbx_scim") : undefined;
  const engine = database
    ? await openPostgres(database.url, { poolSize: 10, onError: () => {} })
    : await openPglite();
  const socket = await listen("127.0.0.1", 0);
  const url = `http://127.0.0.1:${socket.port}`;
  const config = readConfig({
    SIGNALBOX_SECRET: "a secret for the tests, long enough",
    SIGNUP: "open",
    QUOTAS: "members=20000",
  });
  const platform = await openPlatform(config, {
    publicUrl: url,
    jobs: [],
    works: false,
    log: createLog("silent"),
    engine,
  });
  const app = createApp(platform, { role: "api" });
  const listening = socket.serve(app);
  const send = async (path: string, body?: unknown, token?: string, method = body ? "POST" : "GET") => {
    const reply = await fetch(url + path, {
      method,
      headers: {
        ...(body ? { "content-type": "application/json" } : {}),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await reply.text();
    return { status: reply.status, body: text ? JSON.parse(text) : {} };
  };
  try {
    const account = { email: "owner@example.com", password: "a password for the long test", name: "Owner" };
    const { token } = (await send("/api/auth/sign-up/email", account)).body;
    const { organization } = (await send("/v1/organizations", { name: "Large" }, token)).body;
    await platform.db.run(sql`
      insert into sso_domains (id, org_id, domain, challenge, verified_at)
      values (${newId("dom")}, ${organization.id}, ${plan.domain}, 'test', now())`);
    const directory = (await send("/v1/scim/token", {}, token)).body;
    const call: Call = (path, { method, body } = {}) =>
      send(`/scim/v2${path}`, body, directory.token, method);
    const statements = countStatements(engine);
    const states: Record<string, string>[] = [];
    for (const round of ["first", "second"]) {
      statements.count = 0;
      const started = performance.now();
      const requests = await synchronize(call, plan);
      const seconds = (performance.now() - started) / 1000;
      console.log(
        `${kind}, ${round}: ${seconds.toFixed(1)} s, ${requests} requests (${((seconds / requests) * 1000).toFixed(1)} ms each), ${statements.count} statements (${(statements.count / requests).toFixed(1)} each)`,
      );
      states.push(await describeRows(engine));
    }
    console.log(`${kind}: ${JSON.stringify(states[0])}`);
    if (isDeepStrictEqual(states[0], states[1])) return true;
    console.log(`${kind}: the second synchronization wrote rows: ${JSON.stringify(states[1])}`);
    return false;
  } finally {
    await listening.close(0);
    await app.close();
    await platform.close(0);
    await database?.drop();
  }
}

let failed = 0;
for (const kind of values.engine === "both" ? ["postgres", "pglite"] : [values.engine]) {
  if (kind === "postgres" && !(await isPostgresAvailable()))
    console.log("!!! No PostgreSQL: set TEST_DATABASE_URL. This engine IS SKIPPED.");
  else if (!(await measure(kind))) failed++;
}
process.exit(failed ? 1 : 0);
