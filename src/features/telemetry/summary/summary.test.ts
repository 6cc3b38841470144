import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { createAutomation, runNow } from "../../../../test/automations.ts";
import {
  createDatabase,
  createTeam,
  createWorkspace,
  joinWorkspace,
  startServer,
  type TestServer,
  useServer,
} from "../../../../test/harness.ts";
import { dayMs, toDay } from "../../../platform/days.ts";
import { sql } from "../../../platform/db/index.ts";
import { sumTelemetry } from "../index.ts";

const server = useServer();

type Auth = Record<string, string>;
type Item = Record<string, string | number | null>;

async function summarize(on: TestServer, headers: Auth, query: string, limit = 100): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const more: string = cursor && `&cursor=${cursor}`;
    const { status, body } = await on.call(`/v1/telemetry/summary?limit=${limit}&${query}${more}`, {
      headers,
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
    items.push(...body.items);
    cursor = body.nextCursor;
  }
  return items;
}

interface RawRow {
  at: number;
  type: string;
  memberId: string | null;
  model: string | null;
  automationId: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cacheReadTokens: number | null;
  cacheWriteTokens: number | null;
  costMicros: number | null;
  pricing: string;
  countsUsage: boolean;
  durationMs: number | null;
  failed: boolean;
  value: number | null;
}

/** Reads the stored rows and computes each figure without the sums. */
async function recompute(
  on: TestServer,
  orgId: string,
  dimensions: readonly (keyof typeof keys)[],
): Promise<Map<string, Item>> {
  const rows = await on.platform.db.rows<RawRow>(sql`
    select at, type, member_id as "memberId", model, automation_id as "automationId", input_tokens as "inputTokens",
      output_tokens as "outputTokens", cache_read_tokens as "cacheReadTokens", cache_write_tokens as "cacheWriteTokens",
      cost_micros as "costMicros", pricing, counts_usage as "countsUsage", duration_ms as "durationMs", failed,
      value::double precision as value
    from telemetry_events where org_id = ${orgId}`);
  const groups = new Map<string, Item>();
  for (const row of rows) {
    const key = JSON.stringify(dimensions.map((name) => keys[name](row)));
    const sum = (groups.get(key) ?? { ...nothing }) as Record<string, number> & { costMicros: number | null };
    const counted = row.countsUsage ? 1 : 0;
    sum.events! += 1;
    sum.failures! += row.failed ? 1 : 0;
    for (const name of ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const)
      sum[name]! += (row[name] ?? 0) * counted;
    if (counted && row.costMicros !== null) {
      sum.costMicros = (sum.costMicros ?? 0) + row.costMicros;
      sum.pricedEvents! += 1;
    }
    sum.unpricedEvents! += counted && row.pricing === "unpriced" ? 1 : 0;
    sum.durationMs! += row.durationMs ?? 0;
    sum.timedEvents! += row.durationMs === null ? 0 : 1;
    sum.value! += row.value ?? 0;
    groups.set(key, sum);
  }
  return groups;
}

const nothing: Item = {
  ...{ events: 0, failures: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  ...{ costMicros: null, pricedEvents: 0, unpricedEvents: 0, durationMs: 0, timedEvents: 0, value: 0 },
};

const keys = {
  day: ({ at }: RawRow) => toDay(at),
  type: ({ type }: RawRow) => type,
  member: ({ memberId }: RawRow) => memberId,
  model: ({ model }: RawRow) => model,
  automation: ({ automationId }: RawRow) => automationId,
};
const fieldNames = {
  day: "day",
  type: "type",
  member: "memberId",
  model: "model",
  automation: "automationId",
} as const;

const toGroups = (items: readonly Item[], dimensions: readonly (keyof typeof keys)[]) =>
  new Map(
    items.map((item) => {
      const figures = Object.fromEntries(Object.keys(nothing).map((name) => [name, item[name]!]));
      return [JSON.stringify(dimensions.map((name) => item[fieldNames[name]])), figures];
    }),
  );

test("every figure equals the stored rows, with late, doubled and reordered input and sums at any moment", async () => {
  const workspace = await createWorkspace(server);
  const { owner, orgId } = workspace;
  const members = [
    await joinWorkspace(server, workspace, "member"),
    await joinWorkspace(server, workspace, "member"),
  ];
  const automation = await createAutomation(server, owner.auth);
  const run = await runNow(server, owner.auth, automation.id);
  const now = Date.now();
  const event = fc.record({
    id: fc.nat(60),
    daysAgo: fc.nat(3),
    ms: fc.nat(dayMs - 1),
    type: fc.constantFrom("a", "b"),
    model: fc.constantFrom("m1", "m2", null),
    owner: fc.constantFrom("self", "member 0", "member 1", "run"),
    input: fc.option(fc.nat(1000)),
    output: fc.option(fc.nat(1000)),
    cached: fc.option(fc.nat(100)),
    cost: fc.option(fc.nat(5000)),
    duration: fc.option(fc.nat(5000)),
    failed: fc.boolean(),
  });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ send: fc.array(event, { minLength: 1, maxLength: 12 }) }) },
    { weight: 1, arbitrary: fc.constant({ sum: true as const }) },
  );
  const groupings = [
    ["day"],
    ["type", "model"],
    ["member"],
    ["day", "automation"],
    ["day", "type", "member", "model"],
  ];
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(...groupings),
      async (steps, by) => {
        for (const one of steps) {
          if ("sum" in one) await sumTelemetry(server.platform, Date.now() + 10_000);
          else
            accepted += await send(
              owner.auth,
              one.send.map((given) => ({
                id: String(given.id),
                type: given.type,
                // The same id always has the same time, so repeated ids are doubled or conflicting events.
                at: Math.min(now, now - given.daysAgo * dayMs - (given.ms % 1000)),
                ...(given.model ? { model: given.model } : {}),
                ...(given.owner === "run" ? { runId: run.id } : {}),
                ...(given.owner.startsWith("member")
                  ? { memberId: members[Number(given.owner.at(-1))]!.memberId }
                  : {}),
                attributes: {
                  "gen_ai.usage.input_tokens": given.input,
                  "gen_ai.usage.output_tokens": given.output,
                  "gen_ai.usage.cache_read.input_tokens": given.cached,
                  "signalbox.cost_micros": given.cost,
                  "signalbox.duration_ms": given.duration,
                  success: !given.failed,
                },
              })),
            );
        }
        const dimensions = by as (keyof typeof keys)[];
        const items = await summarize(server, owner.auth, `groupBy=${by.join(",")}`, 7);
        expect(toGroups(items, dimensions)).toEqual(await recompute(server, orgId, dimensions));
        // Each property run starts with new ids, on top of everything before.
        await server.platform.db.run(sql`
          update telemetry_events set event_id = event_id || '-' || id where org_id = ${orgId}`);
      },
    ),
    { numRuns: 25 },
  );
  const total = await summarize(server, owner.auth, "groupBy=day");
  expect(total.reduce((sum, { events }) => sum + Number(events), 0)).toBe(accepted);
});

const send = async (headers: Auth, events: object[]): Promise<number> => {
  const { status, body } = await server.call("/v1/telemetry/events", { body: { events }, headers });
  if (status !== 200) throw new Error(JSON.stringify(body));
  expect(body.accepted + body.duplicates + (body.conflicts?.length ?? 0)).toBe(events.length);
  return body.accepted;
};

test("with teams, an event counts for each team that its member is in today", async () => {
  const workspace = await createWorkspace(server);
  const { owner } = workspace;
  const [ada, bob] = [
    await joinWorkspace(server, workspace, "member"),
    await joinWorkspace(server, workspace, "member"),
  ];
  const [red, blue] = [await createTeam(server, owner), await createTeam(server, owner)];
  for (const team of [red, blue])
    await server.platform.db.run(
      sql`insert into team_members (org_id, team_id, member_id) values (${workspace.orgId}, ${team.id}, ${ada.memberId})`,
    );
  for (const [i, { auth }] of [ada, bob].entries())
    await send(auth, [{ id: `e${i}`, type: "t", at: Date.now() }]);
  const items = await summarize(server, owner.auth, "groupBy=team");
  expect(items.map(({ teamId, teamName, events }) => [teamId, teamName, events])).toEqual(
    [
      [red.id, red.name, 1],
      [blue.id, blue.name, 1],
    ]
      .sort()
      .reverse()
      .concat([[null, null, 1] as never]),
  );
});

test("is read page by page, also with the longest names of types and models", async () => {
  const { owner } = await createWorkspace(server);
  const names = ["類", "型"].map((letter) => letter.repeat(120));
  await send(
    owner.auth,
    names.map((type, i) => ({ id: String(i), type, model: type, at: Date.now() })),
  );
  const items = await summarize(server, owner.auth, "groupBy=type,model", 1);
  expect(items.map(({ type, model }) => [type, model]).toSorted()).toEqual(
    names.map((name) => [name, name]).toSorted(),
  );
});

test("wrong periods and cursors are refused", async () => {
  const { owner } = await createWorkspace(server);
  const now = Date.now();
  for (const query of [
    "groupBy=color",
    "groupBy=",
    `from=${now}&to=${now - dayMs}`,
    `from=0&to=${now}`,
    "cursor=abc",
    `cursor=${Buffer.from('["\\u0000","","","","","",""]').toString("base64url")}`,
  ])
    expect((await server.call(`/v1/telemetry/summary?${query}`, { headers: owner.auth })).status).toBe(400);
});

test.skipIf(inject("engine") === "pglite")(
  "two processes that store and sum at the same time count every event once (PostgreSQL only)",
  async () => {
    const database = await createDatabase();
    const servers = [await startServer(database), await startServer(database)] as const;
    try {
      const { owner, orgId } = await createWorkspace(servers[0]);
      const events = (part: number) =>
        Array.from({ length: 50 }, (_, i) => {
          const number = (part * 25 + i) % 400;
          return { id: String(number), type: `t${number % 3}`, at: now - (number % 3) * dayMs };
        });
      const now = Date.now();
      await Promise.all(
        Array.from({ length: 24 }, async (_, part) => {
          const { status } = await servers[part % 2]!.call("/v1/telemetry/events", {
            body: { events: events(part) },
            headers: owner.auth,
          });
          expect(status).toBe(200);
          await sumTelemetry(servers[(part + 1) % 2]!.platform, Date.now() + 10_000);
        }),
      );
      const items = await summarize(servers[1], owner.auth, "groupBy=day,type");
      expect(toGroups(items, ["day", "type"])).toEqual(await recompute(servers[0], orgId, ["day", "type"]));
      expect(items.reduce((sum, one) => sum + Number(one.events), 0)).toBe(400);
    } finally {
      for (const one of servers) await one.close();
      await database.drop();
    }
  },
);
