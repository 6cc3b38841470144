import { createHmac, randomBytes } from "node:crypto";
import pg from "pg";
import { rollUpDays, sumFigures } from "../src/features/automations/index.ts";
import { createDb, openPostgres } from "../src/platform/db/index.ts";
import { isPostgresAvailable } from "../test/postgres.ts";
import { fill } from "./growth/fill.ts";
import {
  type Bench,
  type Child,
  cpuMicroseconds,
  createCaller,
  type Figure,
  measureDatabase,
  median,
  startChild,
  withInstance,
} from "./measure.ts";

const secret = "the webhook secret of this benchmark";
const password = "correct horse battery";

/** What one request cost: the median time, and the rows and index entries that its statements read. Or why it failed. */
type Cost = { ms: number; rows: number } | { failure: string };

/** What one request takes, with one at a time, when the large tables have this many rows. PostgreSQL only. */
export const growth: Bench = async ({ rounds, sizes = [10_000, 1_000_000], logProgress }) => {
  if (!(await isPostgresAvailable())) {
    logProgress("NO POSTGRESQL HERE: set TEST_DATABASE_URL. Growth is not measured.");
    return [];
  }
  const costs = new Map<string, Cost[]>();
  for (const size of sizes) {
    logProgress(`growth at ${size.toLocaleString("en")} rows`);
    for (const [name, cost] of await measureSize(size, rounds, logProgress))
      costs.set(name, [...(costs.get(name) ?? []), cost]);
  }
  logProgress(`median ms of a request · rows that its statements read\n\n${renderTable(sizes, costs)}`);
  return [...costs].flatMap(([request, values]) =>
    values.flatMap((cost, i): Figure[] => {
      if ("failure" in cost) return [];
      const { ms, rows } = cost;
      const name = `${request}, ${sizes[i]!.toLocaleString("en")} rows`;
      return [
        {
          name,
          value: ms,
          unit: "ms",
          ...(request.includes("status=skipped") ? { promise: { atMost: 5 } } : {}),
        },
        { name: `${name}, read`, value: rows, unit: "rows" },
      ];
    }),
  );
};

const renderTable = (sizes: readonly number[], costs: ReadonlyMap<string, readonly Cost[]>) =>
  [
    `| request | ${sizes.map((size) => size.toLocaleString("en")).join(" | ")} |`,
    `|---|${"---|".repeat(sizes.length)}`,
    ...[...costs].map(
      ([name, values]) =>
        `| ${name} | ${values.map((cost) => ("failure" in cost ? `**${cost.failure}**` : `${cost.ms.toFixed(1)} · ${cost.rows.toLocaleString("en")}`)).join(" | ")} |`,
    ),
  ].join("\n");

async function measureSize(
  size: number,
  rounds: number,
  logProgress: (text: string) => void,
): Promise<Map<string, Cost>> {
  return withInstance("postgres", async ({ env, folder }) => {
    const place = { folder, env: { ...env, CODEHOST_WEBHOOK_SECRET: secret }, args: ["api"] };
    const product = await startChild("bench/product.ts", place);
    const client = new pg.Client({ connectionString: env.DATABASE_URL! });
    await client.connect();
    try {
      const { keys } = await createCaller(product.url);
      const auth = { "x-api-key": keys[0]! };
      const post = async (
        path: string,
        body: object | string | undefined,
        headers: Record<string, string> = auth,
      ) => {
        const response = await fetch(product.url + path, {
          method: "POST",
          headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
          ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        });
        const text = await response.text();
        if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
        return JSON.parse(text);
      };
      const { automation } = await post("/v1/automations", {
        name: "Growth",
        instructions: "Report.",
        schedule: { kind: "manual" },
      });
      const { memberId, connectorId, repository } = await fill(
        env.DATABASE_URL!,
        size,
        automation.id,
        logProgress,
      );
      await rollUp(env.DATABASE_URL!, logProgress);
      const { run } = await post(`/v1/automations/${automation.id}/run`, undefined);
      const { email } = (await client.query("select email from users limit 1")).rows[0];
      let sequence = 0;
      const event = () => ({
        attempt: 1,
        sequence: sequence++,
        type: "assistant",
        payload: {},
        createdAt: 1,
      });
      const get = (path: string) => async () => {
        const response = await fetch(product.url + path, { headers: auth });
        const text = await response.text();
        if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
      };
      const month = Date.now() - 30 * 86_400_000;
      const requests: [name: string, send: () => Promise<unknown>][] = [
        ["an event", () => post(`/v1/automation-runs/${run.id}/events`, event())],
        [
          "50 events",
          () =>
            post(`/v1/automation-runs/${run.id}/events/batch`, { events: Array.from({ length: 50 }, event) }),
        ],
        [
          "a delivery",
          () => {
            const body = JSON.stringify({
              ref: "refs/heads/main",
              after: randomBytes(20).toString("hex"),
              repository: { full_name: repository },
              padding: "x".repeat(4_000),
            });
            return post("/v1/webhooks/connectors/codehost", body, {
              "x-github-event": "push",
              "x-github-delivery": randomBytes(16).toString("hex"),
              "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
            });
          },
        ],
        ["sign-in", () => post("/api/auth/sign-in/email", { email, password }, {})],
        ...[
          "/v1/automation-runs",
          "/v1/automation-runs?status=failed",
          "/v1/automation-runs?status=skipped",
          "/v1/automation-runs?status=succeeded",
          `/v1/automation-runs?automationId=${automation.id}`,
          `/v1/automation-runs?memberId=${memberId}`,
          `/v1/automation-runs?fromAt=${month}`,
          `/v1/automation-runs?toAt=${month}`,
          `/v1/automation-runs?automationId=${automation.id}&status=failed`,
          "/v1/webhook-deliveries",
          `/v1/webhook-deliveries?connectorId=${connectorId}`,
          "/v1/webhook-deliveries?outcome=ignored",
          "/v1/webhook-deliveries?event=ping",
          "/v1/audit-events",
          "/v1/audit-events?action=run.started",
          "/v1/audit-events?action=member",
          "/v1/audit-events?credential=runner",
          "/v1/audit-events?targetType=member",
          `/v1/audit-events?actorId=${memberId}`,
          `/v1/audit-events?targetId=${automation.id}`,
          `/v1/automation-usage?fromAt=${month}`,
          `/v1/automation-usage?groupBy=model&fromAt=${month}`,
          `/v1/automation-usage?groupBy=run&fromAt=${month}`,
          "/v1/automation-usage?groupBy=member",
          "/v1/overview/attention",
          "/v1/overview/checklist",
          "/v1/overview/counts",
          "/v1/overview/recent",
          "/v1/overview/runs",
          "/v1/overview/runs?timeZone=Asia/Kolkata",
        ].map((path): [string, () => Promise<void>] => [
          `\`${path.replace(/=\d{13}/, "=…").replace(/_[0-9a-z]{26}/g, "_…")}\``,
          get(path),
        ]),
      ];
      const costs = new Map(requests.slice(0, 3).concat(requests.slice(4, 5)));
      for (const [name, send] of costs) {
        const { database, process } = await measureCpu(send, 40 * rounds, env.DATABASE_URL, product);
        logProgress(`${name}: CPU of the database ${database} µs, of the process ${process} µs`);
      }
      const measured = new Map<string, Cost>();
      for (const [name, send] of requests) {
        try {
          const cost = { ms: await measureMedian(send, rounds), rows: await countRowsRead(client, send) };
          logProgress(`${name}: ${cost.ms.toFixed(1)} ms, ${cost.rows} rows`);
          measured.set(name, cost);
        } catch (error) {
          logProgress(`${name} failed: ${error}`);
          measured.set(name, { failure: / (\d{3}) /.exec(String(error))?.[1] ?? "failed" });
        }
      }
      return measured;
    } finally {
      await client.end();
      await product.stop();
    }
  });
}

/** Adds up the days and the figures of the filled rows, as the jobs of the service do. */
async function rollUp(url: string, logProgress: (text: string) => void): Promise<void> {
  const engine = await openPostgres(url, { onError: () => {} });
  const started = performance.now();
  await rollUpDays({ db: createDb(engine) }, Infinity);
  const summed = performance.now();
  logProgress(`days added up in ${((summed - started) / 1000).toFixed(0)} s`);
  await sumFigures({ db: createDb(engine) }, Infinity);
  await engine.close();
  logProgress(`figures added up in ${((performance.now() - summed) / 1000).toFixed(0)} s`);
}

/**
 * Counts the rows and index entries that the statements of one request read. PostgreSQL updates the counts when a
 * connection ends, so this ends the connections of the service before and after the request. The service reconnects.
 */
async function countRowsRead(client: pg.Client, send: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    await client.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and application_name = 'signalbox'`,
    );
    const { rows } = await client.query<{ count: string }>(
      `select (select sum(seq_tup_read) from pg_stat_user_tables)
         + (select sum(idx_tup_read) from pg_stat_user_indexes) as count`,
    );
    return Number(rows[0]!.count);
  };
  const before = await read();
  await send();
  return (await read()) - before;
}

/** CPU time of one request, from the kernel: of the connections of the database, and of the process. Linux only. */
async function measureCpu(
  send: () => Promise<unknown>,
  requestsPerCost: number,
  url: string | undefined,
  product: Child,
) {
  for (let n = 0; n < 20; n++) await send();
  const readDatabase = measureDatabase(url);
  const [database, own] = [await readDatabase(), cpuMicroseconds(product)];
  for (let n = 0; n < requestsPerCost; n++) await send();
  const perRequest = (us: number) => Math.round(us / requestsPerCost);
  return {
    process: perRequest(cpuMicroseconds(product) - own),
    database: perRequest((await readDatabase()) - database),
  };
}

/** The first requests prepare statements. The database plans a statement anew for its first five executions. */
async function measureMedian(send: () => Promise<unknown>, rounds: number): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 8 + 4 * rounds; n++) {
    const started = performance.now();
    await send();
    if (n >= 8) times.push(performance.now() - started);
  }
  return median(times);
}
