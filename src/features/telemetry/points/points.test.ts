import { describe, expect, inject, test } from "vitest";
import {
  createDatabase,
  createKey,
  createWorkspace,
  joinWorkspace,
  startServer,
  type TestServer,
  useServer,
} from "../../../../test/harness.ts";
import { sql } from "../../../platform/db/index.ts";

const server = useServer();

type Auth = Record<string, string>;

const nanos = (ms: number) => String(BigInt(Math.floor(ms)) * 1_000_000n);

/** A counter of output tokens with the given values, a second apart. */
async function sendCounter(
  headers: Auth,
  started: number,
  points: [at: number, value: number][],
  to: Pick<TestServer, "call"> = server,
) {
  const dataPoints = points.map(([at, value]) => ({
    startTimeUnixNano: nanos(started),
    timeUnixNano: nanos(at),
    asInt: String(value),
    attributes: [{ key: "type", value: { stringValue: "output" } }],
  }));
  const sum = { aggregationTemporality: 2, isMonotonic: true, dataPoints };
  const metrics = [{ name: "claude_code.token.usage", sum }];
  const { status, body } = await to.call("/otlp/v1/metrics", {
    body: { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] },
    headers,
  });
  expect([status, body]).toEqual([200, {}]);
}

const changeSettings = (headers: Auth, enabled: boolean) =>
  server.call("/v1/telemetry/settings", {
    method: "PUT",
    body: { enabled, keepsContents: false, retentionDays: 90 },
    headers,
  });

const sumTokens = async (headers: Auth) => {
  const { body } = await server.call("/v1/telemetry/summary?groupBy=type", { headers });
  return body.items[0]?.outputTokens ?? 0;
};

test("what a counter counted while telemetry was off is not added afterwards", async () => {
  const { owner } = await createWorkspace(server);
  const started = Date.now() - 60_000;
  await sendCounter(owner.auth, started, [[started + 1_000, 10]]);
  expect(await sumTokens(owner.auth)).toBe(10);
  await changeSettings(owner.auth, false);
  await sendCounter(owner.auth, started, [[Date.now(), 500]]);
  await changeSettings(owner.auth, true);
  const back = Date.now() + 1_000;
  // A point from before, which was on its way.
  await sendCounter(owner.auth, started, [[started + 30_000, 400]]);
  expect(await sumTokens(owner.auth)).toBe(10);
  await sendCounter(owner.auth, started, [[back + 2_000, 700]]);
  expect(await sumTokens(owner.auth)).toBe(10);
  // It began to count at 700, and an earlier point moves that to 650.
  await sendCounter(owner.auth, started, [[back + 3_000, 720]]);
  expect(await sumTokens(owner.auth)).toBe(30);
  await sendCounter(owner.auth, started, [[back, 650]]);
  expect(await sumTokens(owner.auth)).toBe(80);
  // A program that started afterwards counts from its start.
  await sendCounter(owner.auth, back, [[back + 4_000, 7]]);
  expect(await sumTokens(owner.auth)).toBe(87);
});

test("two members with the same series are counted separately, and each of them once", async () => {
  const workspace = await createWorkspace(server);
  const members = [
    await joinWorkspace(server, workspace, "member"),
    await joinWorkspace(server, workspace, "member"),
  ];
  const started = Date.now() - 60_000;
  const points: [number, number][] = [
    [started + 1_000, 10],
    [started + 2_000, 15],
  ];
  for (const { auth } of [...members, ...members]) await sendCounter(auth, started, points);
  for (const { auth } of members) expect(await sumTokens(auth)).toBe(15);
  // Another credential of the same member sends the same series.
  const key = await createKey(server, members[0]!);
  await sendCounter(key.auth, started, [...points, [started + 3_000, 16]]);
  expect(await sumTokens(members[0]!.auth)).toBe(16);
});

test("equal log records of two members are both stored", async () => {
  const workspace = await createWorkspace(server);
  const members = [
    await joinWorkspace(server, workspace, "member"),
    await joinWorkspace(server, workspace, "member"),
  ];
  const logRecords = [{ timeUnixNano: nanos(Date.now()), body: { stringValue: "started" } }];
  const body = { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
  for (const { auth } of [...members, ...members])
    expect((await server.call("/otlp/v1/logs", { body, headers: auth })).status).toBe(200);
  const rows = await server.platform.db.rows<{ memberId: string }>(
    sql`select member_id as "memberId" from telemetry_events where org_id = ${workspace.orgId}`,
  );
  expect(rows.map(({ memberId }) => memberId).sort()).toEqual(members.map(({ memberId }) => memberId).sort());
});

describe.skipIf(inject("engine") !== "postgres")("two processes (PostgreSQL only)", () => {
  test("a late point of the day before corrects the type that the other process counted", async () => {
    const database = await createDatabase();
    const [here, there] = [await startServer(database), await startServer(database)];
    try {
      const { owner } = await createWorkspace(here);
      const midnight = new Date().setUTCHours(0, 0, 0, 0);
      const started = midnight - 120_000;
      await sendCounter(owner.auth, started, [[midnight + 1, 50]], here);
      await sendCounter(owner.auth, started, [[midnight - 60_000, 20]], there);
      const { body } = await here.call("/v1/telemetry/summary?groupBy=day,type", { headers: owner.auth });
      const type = "claude_code.token.usage";
      expect(body.items).toMatchObject([
        { day: new Date(midnight).toISOString().slice(0, 10), type, outputTokens: 30 },
        { day: new Date(midnight - 1).toISOString().slice(0, 10), type, outputTokens: 20 },
      ]);
    } finally {
      await Promise.all([here.close(), there.close()]);
      await database.drop();
    }
  });
});
