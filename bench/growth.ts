import { createHmac, randomBytes } from "node:crypto";
import pg from "pg";
import { isPostgresAvailable } from "../test/postgres.ts";
import { fill } from "./growth/fill.ts";
import { type Bench, createCaller, type Figure, median, startChild, withInstance } from "./measure.ts";

const secret = "the webhook secret of this benchmark";
const password = "correct horse battery";

/** What one request takes, with one at a time, when the large tables have this many rows. PostgreSQL only. */
export const growth: Bench = async ({ rounds, sizes = [10_000, 100_000, 1_000_000], logProgress }) => {
  if (!(await isPostgresAvailable())) {
    logProgress("NO POSTGRESQL HERE: set TEST_DATABASE_URL. Growth is not measured.");
    return [];
  }
  const times = new Map<string, number[]>();
  for (const size of sizes) {
    logProgress(`growth at ${size.toLocaleString("en")} rows`);
    for (const [name, ms] of await measureSize(size, rounds))
      times.set(name, [...(times.get(name) ?? []), ms]);
  }
  logProgress(`median ms of a request\n\n${renderTable(sizes, times)}`);
  return [...times].flatMap(([name, values]) =>
    values.map(
      (value, i): Figure => ({
        name: `${name}, ${sizes[i]!.toLocaleString("en")} rows`,
        value,
        unit: "ms",
      }),
    ),
  );
};

const renderTable = (sizes: readonly number[], times: ReadonlyMap<string, readonly number[]>) =>
  [
    `| request | ${sizes.map((size) => size.toLocaleString("en")).join(" | ")} |`,
    `|---|${"---|".repeat(sizes.length)}`,
    ...[...times].map(([name, values]) => `| ${name} | ${values.map((ms) => ms.toFixed(1)).join(" | ")} |`),
  ].join("\n");

async function measureSize(size: number, rounds: number): Promise<Map<string, number>> {
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
      const { memberId, connectorId, repository } = await fill(client, size, automation.id);
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
        ].map((path): [string, () => Promise<void>] => [
          `\`${path.replace(/=\d{13}/, "=…").replace(/_[0-9a-z]{26}/g, "_…")}\``,
          get(path),
        ]),
      ];
      const medians = new Map<string, number>();
      for (const [name, send] of requests) medians.set(name, await measureMedian(send, rounds));
      return medians;
    } finally {
      await client.end();
      await product.stop();
    }
  });
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
