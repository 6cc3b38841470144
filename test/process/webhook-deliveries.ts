/** A code host that repeats each delivery until it is answered, and a check of the stored deliveries. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { createDb, type Db, openEmbedded, openPostgres, sql } from "../../src/platform/db/index.ts";
import { createKeyring } from "../../src/platform/keyring.ts";
import { commit, insertConnector, pushBody, signedHeaders } from "../webhooks.ts";
import { type Env, freePort, type RunningServer, serve } from "./kit.ts";

const secret = "a secret for the tests, long enough";
export const webhookSecret = "a secret of the whole instance";
const cloneUrl = "http://127.0.0.1:9/nothing.git";
const repositories = ["acme/one", "acme/two", "acme/three"];

/** Reproducible numbers from 0 to 1. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The data of an instance, and access to it while no server runs. */
interface InstanceData {
  dataDir: string | undefined;
  env: Env;
  /** Reads the database. The embedded engine allows this only while no server runs. */
  readDatabase<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

export function describeInstance(dataDir: string | undefined, databaseUrl: string | undefined): InstanceData {
  return {
    dataDir,
    env: {
      SIGNALBOX_SECRET: secret,
      CODEHOST_WEBHOOK_SECRET: webhookSecret,
      // Nothing listens there, so syncs are retried later. An address that the guard refuses would fail them
      // permanently, and a repeated delivery would queue them again.
      EGRESS_ALLOW: "127.0.0.1:9",
      LOG_LEVEL: "error",
      ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
    },
    async readDatabase(work) {
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

/** Creates an organization with a connector for each repository. */
export async function createConnectors({
  dataDir,
  env,
  readDatabase: look,
}: InstanceData): Promise<string[]> {
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

interface SentDelivery {
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

export interface CodeHost {
  acknowledged: SentDelivery[];
  /** Ids of deliveries that were sent again with another body. */
  altered: Set<string>;
  /** Replies that are errors in every case. */
  wrong: string[];
  counts: Record<string, number>;
  /** Resolves when every sender has ended. */
  ended: Promise<unknown>;
}

/**
 * Sends deliveries with eight senders, some twice, some altered, some with a bad signature, each until it is answered.
 * `next` gives random numbers. A sender ends when `mayContinue` returns false.
 */
export function startCodeHost(server: string, next: () => number, mayContinue: () => boolean): CodeHost {
  const url = `${server}/v1/webhooks/connectors/codehost`;
  const wrong: string[] = [];
  const acknowledged: SentDelivery[] = [];
  const altered = new Set<string>();
  const counts = { fresh: 0, repeated: 0, altered: 0, bad: 0, unreachable: 0, unavailable: 0 };

  /** Repeats the delivery until the reply is not a 503. */
  async function deliver(
    sent: SentDelivery,
    by: string,
  ): Promise<{ status: number; body: { queued?: boolean } }> {
    for (;;) {
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: signedHeaders.github(by, sent.body, { id: sent.id }),
          body: sent.body,
          signal: AbortSignal.timeout(20_000),
        });
        const body = (await response.json()) as { queued?: boolean };
        if (response.status !== 503) return { status: response.status, body };
        counts.unavailable++;
        if (!response.headers.get("retry-after")) wrong.push("A 503 had no Retry-After.");
      } catch {
        counts.unreachable++;
      }
      await pause(100);
    }
  }

  const expectStatus = (what: string, got: number, wanted: number) => {
    if (got !== wanted) wrong.push(`${what} got ${got}, not ${wanted}.`);
  };
  const fresh = (): SentDelivery => {
    const repository = repositories[Math.floor(next() * repositories.length)]!;
    const head = commit();
    return { id: randomUUID(), repository, head, body: pushBody({ repository }, head) };
  };

  async function sendDeliveries(): Promise<void> {
    while (mayContinue()) {
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

  const ended = Promise.all(Array.from({ length: 8 }, sendDeliveries));
  return { acknowledged, altered, wrong, counts, ended };
}

/** Sends so many deliveries while the server is killed again and again. Returns the problems. */
export async function sendWhileKilled(
  instance: InstanceData,
  { deliveries, kills, seed }: Faults,
): Promise<string[]> {
  await createConnectors(instance);
  const next = random(seed);
  // The test covers deliveries only. On PostgreSQL there are no workers; on the embedded engine the syncs fail
  // to connect and are retried after the test.
  const settings = { ...instance.env, PORT: await freePort() };
  const args = instance.dataDir === undefined ? ["--role", "api"] : [];
  let server: RunningServer = await serve(instance.dataDir, settings, args);
  let left = deliveries;
  const host = startCodeHost(server.url, next, () => left-- > 0);
  let done = false;
  void host.ended.finally(() => {
    done = true;
  });
  for (let kill = 0; kill < kills; kill++) {
    // The kills are spread over all deliveries.
    const due = deliveries - ((kill + 0.3 + next() * 0.6) / kills) * deliveries;
    while (!done && left > due) await pause(5);
    if (done) break;
    await server.end("SIGKILL");
    server = await serve(instance.dataDir, settings, args);
  }
  await host.ended;
  await server.end("SIGTERM");
  console.log(`  ${JSON.stringify(host.counts)}`);
  return findHostFaults(instance, host);
}

/** The differences between the stored deliveries and the acknowledged ones. */
export async function findHostFaults(
  instance: InstanceData,
  { wrong, acknowledged, altered }: CodeHost,
): Promise<string[]> {
  const found = await instance.readDatabase((db) => findDeliveryFaults(db, acknowledged, altered));
  return [...wrong, ...found].slice(0, 20);
}

async function findDeliveryFaults(
  db: Db,
  acknowledged: readonly SentDelivery[],
  altered: ReadonlySet<string>,
): Promise<string[]> {
  const wrong: string[] = [];
  const jobs = await db.rows<{ repository: string; head: string; count: number }>(sql`
    select c.repository, s.head, count(*) from connector_syncs s join connectors c on c.id = s.connector_id
    group by 1, 2`);
  const expected = new Set(acknowledged.map(({ repository, head }) => `${repository} ${head}`));
  for (const { repository, head, count } of jobs) {
    if (!expected.delete(`${repository} ${head}`))
      wrong.push(`${repository} ${head} has a job without a delivery.`);
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
    if (!row) wrong.push(`Delivery ${id} was acknowledged and is missing.`);
    else if (row.head !== head || row.targets !== 1)
      wrong.push(`Delivery ${id} is not what was acknowledged.`);
    else if (row.altered !== altered.has(id)) wrong.push(`Delivery ${id}: altered is ${row.altered}.`);
    stored.delete(id);
  }
  for (const id of stored.keys())
    wrong.push(`Delivery ${id} was never acknowledged, nor sent with a signature.`);
  return wrong;
}
