import { gzipSync } from "node:zlib";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { expect, test } from "vitest";
import type { Body } from "../../../../test/body.ts";
import { createKey, createWorkspace, useServer } from "../../../../test/harness.ts";
import { dayMs } from "../../../platform/days.ts";
import { sql } from "../../../platform/db/index.ts";
import { pruneTelemetry } from "../index.ts";

const server = useServer();

const json = "application/json";
const protobuf = "application/x-protobuf";

async function post(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<{ status: number; type: string | null; retryAfter: string | null; bytes: Buffer; body: Body }> {
  const reply = await fetch(`${server.url}${path}`, { method: "POST", body, headers });
  const bytes = Buffer.from(await reply.arrayBuffer());
  const type = reply.headers.get("content-type");
  return {
    status: reply.status,
    type,
    retryAfter: reply.headers.get("retry-after"),
    bytes,
    body: type?.startsWith(json) ? JSON.parse(bytes.toString()) : undefined,
  };
}

const nanos = (ms: number) => String(BigInt(ms) * 1_000_000n);

const createSpan = (spanId: string, more: object = {}) => ({
  traceId: "5b8efff798038103d269b633813fc60c",
  spanId,
  name: "step",
  startTimeUnixNano: nanos(Date.now() - 2000),
  endTimeUnixNano: nanos(Date.now() - 1000),
  ...more,
});

const traces = (...spans: unknown[]) =>
  JSON.stringify({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] });

const metrics = (name: string, points: object[], more: object = {}) =>
  JSON.stringify({
    resourceMetrics: [
      {
        scopeMetrics: [
          {
            metrics: [
              { name, sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: points, ...more } },
            ],
          },
        ],
      },
    ],
  });

async function createSender() {
  const { owner } = await createWorkspace(server);
  const { auth } = await createKey(server, owner);
  return { auth, headers: { ...auth, "content-type": json } };
}

const list = async (headers: Record<string, string>) =>
  (await server.call("/v1/telemetry/events?limit=100", { headers })).body.items;

test("good items are stored and bad ones are counted, in the encoding of the request", async () => {
  const { auth, headers } = await createSender();
  const good = createSpan("eee19b7ec3c1b174");
  const reply = await post(
    "/otlp/v1/traces",
    traces(
      good,
      createSpan("0000000000000000"),
      // Base64, as some senders write ids.
      createSpan("7uGbfsPBsXQ="),
      createSpan("eee19b7ec3c1b175", { startTimeUnixNano: "0" }),
      createSpan("eee19b7ec3c1b176", { startTimeUnixNano: nanos(Date.now() - 200 * dayMs) }),
      null,
      7,
    ),
    headers,
  );
  expect(reply).toMatchObject({
    status: 200,
    type: "application/json; charset=UTF-8",
    body: { partialSuccess: { rejectedSpans: "6" } },
  });
  expect(reply.body.partialSuccess.errorMessage).toContain("hexadecimal");
  // Everything was stored before: complete success.
  expect((await post("/otlp/v1/traces", traces(good), headers)).body).toEqual({});
  expect(await list(auth)).toHaveLength(1);
});

test("empty requests of both encodings succeed", async () => {
  const { auth, headers } = await createSender();
  expect((await post("/otlp/v1/logs", "{}", headers)).body).toEqual({});
  const reply = await post("/otlp/v1/metrics", new Uint8Array(), { ...auth, "content-type": protobuf });
  expect([reply.status, reply.type, reply.bytes.length]).toEqual([200, protobuf, 0]);
  expect(ProtobufTraceSerializer.deserializeResponse(reply.bytes)).toEqual({});
});

test("refusals are a status in the encoding of the request, and none of them asks for a retry", async () => {
  const { auth, headers } = await createSender();
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024));
  const sent: [string | Uint8Array<ArrayBuffer>, Record<string, string>, number][] = [
    ["not json", headers, 400],
    ["[]", headers, 400],
    ['{"resourceSpans": 7}', headers, 400],
    [Uint8Array.from([0x0a, 0xff]), { ...auth, "content-type": protobuf }, 400],
    ["{}", { ...auth, "content-type": "text/plain" }, 415],
    ["{}", { ...headers, "content-encoding": "br" }, 415],
    ["{}", { ...headers, "content-encoding": "gzip" }, 400],
    [bomb, { ...headers, "content-encoding": "gzip" }, 413],
    [Buffer.alloc(4 * 1024 * 1024 + 1), headers, 413],
    ["{}", { "content-type": json }, 401],
    ["{}", { "content-type": protobuf }, 401],
  ];
  for (const [body, given, status] of sent) {
    const reply = await post("/otlp/v1/traces", body, given);
    expect(reply).toMatchObject({ status, retryAfter: null });
    if (given["content-type"] === protobuf) expect([reply.type, reply.bytes[0]]).toEqual([protobuf, 8]);
    else expect(reply.body).toEqual({ code: expect.any(Number), message: expect.stringMatching(/\w+ .*\./) });
  }
  const unknown = await post("/otlp/v1/profiles", "{}", headers);
  expect(unknown).toMatchObject({ status: 404, body: { code: 5 } });
  const tooMany = traces(...Array.from({ length: 10_001 }, () => ({})));
  expect((await post("/otlp/v1/traces", tooMany, headers)).status).toBe(413);
  const points = metrics(
    "m",
    Array.from({ length: 10_001 }, () => ({})),
  );
  expect((await post("/otlp/v1/metrics", points, headers)).status).toBe(413);
});

test("a full quota is no reason to send again", async () => {
  const { owner, orgId } = await createWorkspace(server);
  await server.platform.db.run(
    sql`insert into organization_quotas (org_id, quota, max) values (${orgId}, 'telemetry_storage', 10)`,
  );
  const headers = { ...owner.auth, "content-type": json };
  const reply = await post("/otlp/v1/traces", traces(createSpan("eee19b7ec3c1b174")), headers);
  expect(reply).toMatchObject({ status: 409, retryAfter: null, body: { code: 8 } });
  // A counter that did not move has no event, but its point is stored.
  const point = { startTimeUnixNano: nanos(Date.now() - dayMs), timeUnixNano: nanos(Date.now()), asInt: "0" };
  expect((await post("/otlp/v1/metrics", metrics("m", [point]), headers)).status).toBe(409);
});

test("an organization that opted out stores nothing, and exporters see success", async () => {
  const { owner } = await createWorkspace(server);
  await server.call("/v1/telemetry/settings", {
    method: "PUT",
    body: { enabled: false, keepsContents: false, retentionDays: 90 },
    headers: owner.auth,
  });
  const headers = { ...owner.auth, "content-type": json };
  expect(await post("/otlp/v1/traces", traces(createSpan("eee19b7ec3c1b174")), headers)).toMatchObject({
    status: 200,
    body: {},
  });
  expect(await list(owner.auth)).toEqual([]);
});

test("text that the database cannot store is replaced", async () => {
  const { auth, headers } = await createSender();
  const attributes = [
    { key: "a\u0000b", value: { stringValue: "x\u0000\ud800" } },
    { key: "n", value: { doubleValue: "NaN" } },
    { key: "big", value: { intValue: "9223372036854775807" } },
  ];
  const span = createSpan("eee19b7ec3c1b174", { name: "\u0000\udfff", attributes });
  expect(await post("/otlp/v1/traces", traces(span), headers)).toMatchObject({ status: 200, body: {} });
  expect(await list(auth)).toMatchObject([
    { type: "\ufffd\ufffd", attributes: { "a\ufffdb": "x\ufffd\ufffd", big: "9223372036854775807" } },
  ]);
});

test("cumulative points that arrive late are counted at their own time", async () => {
  const { auth, headers } = await createSender();
  const midnight = Math.floor(Date.now() / dayMs) * dayMs;
  const at = (ms: number, value: number) => ({
    startTimeUnixNano: nanos(midnight - 10 * dayMs),
    timeUnixNano: nanos(ms),
    asInt: String(value),
    attributes: [{ key: "type", value: { stringValue: "output" } }],
  });
  const yesterday = midnight - 60_000;
  const today = midnight - 60_000 + 60_000;
  const send = (...points: object[]) =>
    post("/otlp/v1/metrics", metrics("claude_code.token.usage", points), headers);
  await send(at(today, 50));
  await send(at(yesterday, 30), at(today, 50));
  await send(at(yesterday - 1000, 20));
  const { body } = await server.call("/v1/telemetry/summary", { headers: auth });
  expect(body.items.map((item: { outputTokens: number }) => item.outputTokens)).toEqual([20, 30]);
  // Without temporality, nobody can say what a point adds.
  const reply = await post(
    "/otlp/v1/metrics",
    metrics("x", [at(today, 1)], { aggregationTemporality: 0 }),
    headers,
  );
  expect(reply.body.partialSuccess.rejectedDataPoints).toBe("1");
});

test("points of a counter that did not move are deleted after a day, and nothing is counted twice", async () => {
  const { auth, headers } = await createSender();
  const noon = Math.floor(Date.now() / dayMs) * dayMs - 1.5 * dayMs;
  const at = (minute: number, value: number) => ({
    startTimeUnixNano: nanos(noon - dayMs),
    timeUnixNano: nanos(noon + minute * 60_000),
    asInt: String(value),
    attributes: [{ key: "type", value: { stringValue: "output" } }],
  });
  const points = [at(0, 10), at(1, 10), at(2, 10), at(3, 10), at(4, 12)];
  const send = () => post("/otlp/v1/metrics", metrics("claude_code.token.usage", points), headers);
  const count = async () => (await server.platform.db.rows(sql`select from telemetry_points`)).length;
  const before = await count();
  await send();
  expect((await count()) - before).toBe(5);
  await pruneTelemetry(server.platform, Date.now() + 10_000);
  expect((await count()) - before).toBe(3);
  await send();
  const { body } = await server.call("/v1/telemetry/summary?groupBy=type", { headers: auth });
  expect(body.items).toMatchObject([{ outputTokens: 12, events: 2 }]);
});

test("a gauge is kept, and not summed", async () => {
  const { auth, headers } = await createSender();
  const dataPoints = [{ timeUnixNano: nanos(Date.now()), asDouble: 0.5 }];
  const body = JSON.stringify({
    resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: "queue.length", gauge: { dataPoints } }] }] }],
  });
  expect((await post("/otlp/v1/metrics", body, headers)).body).toEqual({});
  expect(await list(auth)).toMatchObject([{ value: null, attributes: { "metric.value": 0.5 } }]);
});

test("a point with a start that is no time is rejected, and the others are stored", async () => {
  const { auth, headers } = await createSender();
  const starts = [nanos(Date.now() - dayMs), "9223372036854775808", "18446744073709551615", "-1"];
  const points = starts.map((startTimeUnixNano, i) => ({
    startTimeUnixNano,
    timeUnixNano: nanos(Date.now() - i),
    asInt: "5",
  }));
  const reply = await post("/otlp/v1/metrics", metrics("m", points), headers);
  expect(reply).toMatchObject({ status: 200, body: { partialSuccess: { rejectedDataPoints: "3" } } });
  expect(await list(auth)).toMatchObject([{ type: "m", value: 5 }]);
});

test("the last point of a series that never continued is deleted with the sums of its day", async () => {
  const { orgId } = await createWorkspace(server);
  const { db } = server.platform;
  for (const [series, days] of Object.entries({ aa: 802, bb: 700 }))
    await db.run(sql`insert into telemetry_points (org_id, series, started_nanos, nanos, value)
      values (${orgId}, decode(${series}, 'hex'), 1, ${nanos(Date.now() - days * dayMs)}::bigint, 1)`);
  await pruneTelemetry(server.platform, Date.now() + 10_000);
  const rows = await db.rows(
    sql`select encode(series, 'hex') as series from telemetry_points where org_id = ${orgId}`,
  );
  expect(rows).toEqual([{ series: "bb" }]);
});
