/** A code host that does not give up, and the proof of what it was told. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { createDb, type Db, openEmbedded, openPostgres, sql } from "../../src/platform/db/index.ts";
import { createKeyring } from "../../src/platform/keyring.ts";
import { commit, insertConnector, pushBody, speak } from "../webhooks.ts";
import { type Env, freePort, type Serving, serve } from "./kit.ts";

const secret = "a secret for the tests, long enough";
export const webhookSecret = "a secret of the whole instance";
const cloneUrl = "http://127.0.0.1:9/nothing.git";
const repositories = ["acme/one", "acme/two", "acme/three"];

/** Reproducible numbers from 0 to 1. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Where the server keeps its data, and how to look at it while no server is running. */
interface Place {
  dataDir: string | undefined;
  env: Env;
  /** A look at the data; the embedded engine allows it only while nobody else has it. */
  look<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

export function placeOf(dataDir: string | undefined, databaseUrl: string | undefined): Place {
  return {
    dataDir,
    env: {
      SIGNALBOX_SECRET: secret,
      CODEHOST_WEBHOOK_SECRET: webhookSecret,
      // Nobody listens there, so work is tried again later; refused by the guard it would have failed for good,
      // and a repeat would rightly ask for it once more.
      EGRESS_ALLOW: "127.0.0.1:9",
      LOG_LEVEL: "error",
      ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
    },
    async look(work) {
      const engine = databaseUrl
        ? await openPostgres(databaseUrl, { onError: () => {} })
        : await openEmbedded(dataDir!);
      try {
        return await work(createDb(engine));
      } finally {
        await engine.close();
      }
    },
  };
}

/** An organization with a connector for each repository, made before anything is sent. */
export async function settle({ dataDir, env, look }: Place): Promise<string[]> {
  const server = await serve(dataDir, env);
  const account = {
    name: "Ada",
    email: `ada-${randomUUID()}@example.com`,
    password: "correct horse battery",
  };
  const { token } = (await server.call("/api/auth/sign-up/email", { body: account })).body;
  const headers = { authorization: `Bearer ${token}` };
  const { organization } = (await server.call("/v1/organizations", { body: { name: "Acme" }, headers })).body;
  await server.end("SIGTERM");
  const keyring = createKeyring(secret);
  return look(async (db) => {
    const ids: string[] = [];
    for (const repository of repositories)
      ids.push((await insertConnector({ db, keyring }, organization.id, { repository, cloneUrl })).id);
    return ids;
  });
}

interface Sent {
  id: string;
  repository: string;
  head: string;
  body: string;
}

interface Faults {
  deliveries: number;
  kills: number;
  seed: number;
}

/**
 * Sends so many deliveries, some twice, some altered, some with a bad signature, each until it is answered,
 * while the server is killed again and again. Gives what is wrong in the end.
 */
export async function sendWhileKilled(place: Place, { deliveries, kills, seed }: Faults): Promise<string[]> {
  await settle(place);
  const next = random(seed);
  // Without workers where that can be: whether they do the work is another question. Elsewhere the address
  // that they would read from refuses, and they try again later than this takes.
  const settings = { ...place.env, PORT: await freePort() };
  const args = place.dataDir === undefined ? ["--role", "api"] : [];
  let server: Serving = await serve(place.dataDir, settings, args);
  const url = `${server.url}/v1/webhooks/connectors/codehost`;
  const wrong: string[] = [];
  const acknowledged: Sent[] = [];
  const altered = new Set<string>();
  const counts = { fresh: 0, repeated: 0, altered: 0, bad: 0, unreachable: 0, unavailable: 0 };

  /** Until there is an answer that is one. */
  async function deliver(sent: Sent, by: string): Promise<{ status: number; body: { queued?: boolean } }> {
    for (;;) {
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: speak.github(by, sent.body, { id: sent.id }),
          body: sent.body,
          signal: AbortSignal.timeout(20_000),
        });
        const body = (await response.json()) as { queued?: boolean };
        if (response.status !== 503) return { status: response.status, body };
        counts.unavailable++;
        if (!response.headers.get("retry-after")) wrong.push("A 503 did not say when to come back.");
      } catch {
        counts.unreachable++;
      }
      await pause(20);
    }
  }

  const expectStatus = (what: string, got: number, wanted: number) => {
    if (got !== wanted) wrong.push(`${what} was answered ${got}, not ${wanted}.`);
  };
  const fresh = (): Sent => {
    const repository = repositories[Math.floor(next() * repositories.length)]!;
    const head = commit();
    return { id: randomUUID(), repository, head, body: pushBody({ repository }, head) };
  };

  let left = deliveries;
  async function host(): Promise<void> {
    while (left > 0) {
      left--;
      const lot = next();
      const earlier = acknowledged[Math.floor(next() * acknowledged.length)];
      if (lot < 0.05) {
        counts.bad++;
        expectStatus("A bad signature", (await deliver(fresh(), "another secret altogether")).status, 401);
      } else if (lot < 0.1 && earlier) {
        counts.altered++;
        altered.add(earlier.id);
        const { status, body } = await deliver({ ...fresh(), id: earlier.id }, webhookSecret);
        expectStatus("An altered delivery", status, 202);
        if (body.queued) wrong.push("An altered delivery queued something.");
      } else if (lot < 0.4 && earlier) {
        counts.repeated++;
        const { status, body } = await deliver(earlier, webhookSecret);
        expectStatus("A repeat", status, 202);
        if (body.queued) wrong.push("A repeat queued something.");
      } else {
        counts.fresh++;
        const sent = fresh();
        expectStatus("A delivery", (await deliver(sent, webhookSecret)).status, 202);
        acknowledged.push(sent);
      }
    }
  }

  const hosts = Promise.all(Array.from({ length: 8 }, host));
  let done = false;
  void hosts.finally(() => {
    done = true;
  });
  for (let kill = 0; kill < kills; kill++) {
    // Spread over the whole of it, as far as it can be foreseen.
    const due = deliveries - ((kill + 0.3 + next() * 0.6) / kills) * deliveries;
    while (!done && left > due) await pause(5);
    if (done) break;
    await server.end("SIGKILL");
    server = await serve(place.dataDir, settings, args);
  }
  await hosts;
  await server.end("SIGTERM");
  console.log(`  ${JSON.stringify(counts)}`);
  return [...wrong, ...(await place.look((db) => judge(db, acknowledged, altered)))].slice(0, 20);
}

async function judge(db: Db, acknowledged: readonly Sent[], altered: ReadonlySet<string>): Promise<string[]> {
  const wrong: string[] = [];
  const jobs = await db.rows<{ repository: string; head: string; count: number }>(sql`
    select c.repository, s.head, count(*) from connector_syncs s join connectors c on c.id = s.connector_id
    group by 1, 2`);
  const expected = new Set(acknowledged.map(({ repository, head }) => `${repository} ${head}`));
  for (const { repository, head, count } of jobs) {
    if (!expected.delete(`${repository} ${head}`)) wrong.push(`Nobody asked for ${repository} ${head}.`);
    if (count !== 1) wrong.push(`${repository} ${head} has ${count} jobs.`);
  }
  for (const missing of expected) wrong.push(`${missing} was acknowledged and has no job.`);
  const rows = await db.rows<{ id: string; head: string; altered: boolean; targets: number }>(sql`
    select d.delivery_id as id, d.head, d.altered_at is not null as altered,
      (select count(*) from webhook_targets t where t.delivery = d.id and t.connector_id is not null) as targets
    from webhook_deliveries d`);
  const stored = new Map(rows.map((row) => [row.id, row]));
  for (const { id, head } of acknowledged) {
    const row = stored.get(id);
    if (!row) wrong.push(`Delivery ${id} was acknowledged and is gone.`);
    else if (row.head !== head || row.targets !== 1)
      wrong.push(`Delivery ${id} is not what was acknowledged.`);
    else if (row.altered !== altered.has(id)) wrong.push(`Delivery ${id}: altered is ${row.altered}.`);
    stored.delete(id);
  }
  for (const id of stored.keys())
    wrong.push(`Delivery ${id} was never acknowledged, nor sent with a signature.`);
  return wrong;
}
