import { expect, test } from "vitest";
import { claim, createRunner, queueRun } from "../../../test/automations.ts";
import { useClock } from "../../../test/clock.ts";
import {
  createKey,
  createWorkspace,
  joinWorkspace,
  type Person,
  signUp,
  useServer,
} from "../../../test/harness.ts";
import { createWorker } from "../../../test/workers.ts";
import { dayMs, toDay } from "../../platform/days.ts";
import { sql } from "../../platform/db/index.ts";
import { pruneTelemetry, sumTelemetry } from "./index.ts";

const server = useServer();
const atTime = useClock();

type Auth = Record<string, string>;
type Event = Record<string, unknown>;

const createEvent = (id: string, more: Event = {}): Event => ({
  id,
  type: "review.finished",
  at: Date.now(),
  ...more,
});
const report = (headers: Auth, ...events: Event[]) =>
  server.call("/v1/telemetry/events", { body: { events }, headers });
const list = async (headers: Auth, query = "") =>
  (await server.call(`/v1/telemetry/events?limit=100${query}`, { headers })).body.items;
const summarize = async (headers: Auth, query: string) =>
  (await server.call(`/v1/telemetry/summary?${query}`, { headers })).body.items;
const changeSettings = (headers: Auth, body: object) =>
  server.call("/v1/telemetry/settings", { method: "PUT", body, headers });

const usage = (input: number, output: number) => ({
  "gen_ai.usage.input_tokens": input,
  "gen_ai.usage.output_tokens": output,
});

test("an event is stored once, and its fields come from the names of the conventions", async () => {
  const { owner } = await createWorkspace(server);
  const event = createEvent("a", {
    model: "some-model",
    attributes: {
      ...usage(120, 30),
      "gen_ai.usage.cache_read.input_tokens": 100,
      "gen_ai.tool.name": "search",
      "gen_ai.conversation.id": "c-1",
      "signalbox.cost_micros": 1500,
      team: "red",
    },
  });
  expect(await report(owner.auth, event)).toMatchObject({
    status: 200,
    body: { accepted: 1, duplicates: 0 },
  });
  expect((await report(owner.auth, event, event, createEvent("b"))).body).toEqual({
    accepted: 1,
    duplicates: 2,
  });
  const items = await list(owner.auth);
  expect(items).toHaveLength(2);
  expect(items.find(({ eventId }: Event) => eventId === "a")).toMatchObject({
    signal: "event",
    type: "review.finished",
    model: "some-model",
    inputTokens: 120,
    outputTokens: 30,
    cacheReadTokens: 100,
    costMicros: 1500,
    pricing: "reported",
    toolName: "search",
    conversationId: "c-1",
    attributes: { team: "red" },
  });
});

test("another event with a known id is not stored, and the reply names it", async () => {
  const { owner } = await createWorkspace(server);
  const at = Date.now();
  await report(owner.auth, createEvent("same", { at }));
  const reply = await report(owner.auth, createEvent("same", { at, type: "other.type" }), createEvent("new"));
  expect(reply.body).toEqual({ accepted: 1, duplicates: 0, conflicts: ["same"] });
  expect((await list(owner.auth, "&type=other.type")).length).toBe(0);
});

test("a request has 1 to 500 events, and one wrong event refuses all of them", async () => {
  const { owner } = await createWorkspace(server);
  expect((await report(owner.auth)).status).toBe(400);
  const many = Array.from({ length: 501 }, (_, i) => createEvent(`e${i}`));
  expect((await report(owner.auth, ...many)).status).toBe(400);
  expect((await report(owner.auth, ...many.slice(1))).body).toEqual({ accepted: 500, duplicates: 0 });
  for (const wrong of [
    { at: Date.now() + 2 * dayMs },
    { at: Date.now() - 91 * dayMs },
    { runId: "run_01jz8q2d9xf4vvh0tbq8k3m5na" },
    { runId: "nonsense" },
    { memberId: "mem_01jz8q2d9xf4vvh0tbq8k3m5na" },
    { workerId: "wrk_01jz8q2d9xf4vvh0tbq8k3m5na" },
  ]) {
    const { status, body } = await report(owner.auth, createEvent("fine"), createEvent("wrong", wrong));
    expect(status).toBe(400);
    expect(body.details[0].path).toEqual(["events", 1, Object.keys(wrong)[0]]);
  }
  expect((await list(owner.auth)).some(({ eventId }: Event) => eventId === "fine")).toBe(false);
});

test("events belong to the caller, unless it may report for others", async () => {
  const workspace = await createWorkspace(server);
  const { owner } = workspace;
  const ada = await joinWorkspace(server, workspace, "member");
  const bob = await joinWorkspace(server, workspace, "member");
  expect((await report(ada.auth, createEvent("1", { memberId: bob.memberId }))).status).toBe(403);
  expect((await report(ada.auth, createEvent("1", { memberId: ada.memberId }))).body.accepted).toBe(1);
  expect((await report(owner.auth, createEvent("2", { memberId: bob.memberId }))).body.accepted).toBe(1);
  const stranger = await createWorkspace(server, "Elsewhere");
  const foreign = await joinWorkspace(server, stranger, "member");
  expect((await report(owner.auth, createEvent("3", { memberId: foreign.memberId }))).status).toBe(400);

  expect((await list(ada.auth)).map(({ eventId }: Event) => eventId)).toEqual(["1"]);
  expect(await list(ada.auth, `&memberId=${bob.memberId}`)).toEqual([]);
  expect((await list(owner.auth)).length).toBe(2);
  expect(await summarize(ada.auth, "groupBy=member")).toMatchObject([{ memberId: ada.memberId, events: 1 }]);
  expect((await summarize(owner.auth, "groupBy=member")).length).toBe(2);
  const exported = await server.call("/v1/telemetry/export", { headers: bob.auth });
  expect(String(exported.body).trim().split("\n")).toHaveLength(2);
});

test("a run credential joins events to its run, and to no other", async () => {
  const { owner } = await createWorkspace(server);
  const run = await queueRun(server, owner.auth);
  const other = await queueRun(server, owner.auth);
  const runner = await createRunner(server, owner.auth);
  const { credential } = await claim(server, runner.auth, run.id);
  const program = { authorization: `Bearer ${credential}` };
  expect((await report(program, createEvent("by run"))).body.accepted).toBe(1);
  expect((await report(program, createEvent("x", { runId: other.id }))).status).toBe(400);
  expect((await report(runner.auth, createEvent("by runner", { runId: run.id }))).body.accepted).toBe(1);
  const items = await list(owner.auth, `&runId=${run.id}`);
  expect(items).toHaveLength(2);
  for (const item of items)
    expect(item).toMatchObject({ runId: run.id, automationId: run.automationId, memberId: run.memberId });
  expect(await summarize(owner.auth, "groupBy=automation")).toMatchObject([
    { automationId: run.automationId, automationName: "Triage", events: 2 },
  ]);
  // It may report, and see nothing.
  expect((await server.call("/v1/telemetry/events", { headers: program })).status).toBe(401);
});

test("a worker reports with its token, about itself", async () => {
  const workspace = await createWorkspace(server);
  const { owner } = workspace;
  const { auth, ...worker } = await createWorker(server, owner.auth, { name: "builder" });
  const other = await createWorker(server, owner.auth);
  const run = await queueRun(server, owner.auth);
  expect((await report(auth, createEvent("1"))).body.accepted).toBe(1);
  expect((await report(auth, createEvent("2", { workerId: worker.id }))).body.accepted).toBe(1);
  expect((await report(auth, createEvent("3", { workerId: other.id }))).status).toBe(400);
  expect((await report(auth, createEvent("3", { runId: run.id }))).status).toBe(400);
  expect((await report(auth, createEvent("3", { memberId: run.memberId }))).status).toBe(403);
  expect((await report(owner.auth, createEvent("3", { workerId: worker.id }))).body.accepted).toBe(1);
  const ada = await joinWorkspace(server, workspace, "member");
  expect((await report(ada.auth, createEvent("4", { workerId: worker.id }))).status).toBe(400);
  expect(await summarize(owner.auth, "groupBy=worker")).toMatchObject([
    { workerId: worker.id, workerName: "builder", events: 3 },
  ]);
  expect((await server.call("/v1/telemetry/events", { headers: auth })).status).toBe(401);
});

test("tokens without a cost get the price of the catalogue, and unknown models none", async () => {
  const { owner } = await createWorkspace(server);
  const tokens = usage(100_000, 0);
  const attributes = { ...tokens, "gen_ai.provider.name": "Anthropic" };
  await report(
    owner.auth,
    createEvent("known", { model: "claude-sonnet-4-5", attributes }),
    createEvent("sdk", { model: "gpt-4o", attributes: { ...tokens, "ai.model.provider": "openai.chat" } }),
    createEvent("guessed", { model: "claude-sonnet-4-5", attributes: tokens }),
    createEvent("unknown", { model: "house-model", attributes: tokens }),
    createEvent("free", { model: "house-model", attributes: { ...tokens, "signalbox.cost_micros": 0 } }),
  );
  const items = await list(owner.auth);
  const find = (id: string) => items.find(({ eventId }: Event) => eventId === id);
  expect(find("known")).toMatchObject({ pricing: "estimated", costMicros: 300_000 });
  expect(find("sdk")).toMatchObject({ pricing: "estimated", costMicros: 250_000 });
  expect(find("guessed")).toMatchObject({ pricing: "estimated", costMicros: 300_000 });
  expect(find("unknown")).toMatchObject({ pricing: "unpriced", costMicros: null });
  expect(find("free")).toMatchObject({ pricing: "reported", costMicros: 0 });
  expect(await summarize(owner.auth, "groupBy=model")).toMatchObject([
    { model: "house-model", costMicros: 0, pricedEvents: 1, unpricedEvents: 1 },
    { model: "gpt-4o", costMicros: 250_000 },
    { model: "claude-sonnet-4-5", costMicros: 600_000, unpricedEvents: 0 },
  ]);
});

test("a member cannot report about another member's run, except with the runner that holds it", async () => {
  const workspace = await createWorkspace(server);
  const run = await queueRun(server, workspace.owner.auth);
  const ada = await joinWorkspace(server, workspace, "member");
  expect((await report(ada.auth, createEvent("1", { runId: run.id }))).status).toBe(400);
});

test("an organization that opted out stores nothing, and senders see no error", async () => {
  const { owner } = await createWorkspace(server);
  await report(owner.auth, createEvent("before"));
  const settings = { enabled: false, keepsContents: false, retentionDays: 30 };
  expect((await changeSettings(owner.auth, settings)).body).toEqual({ settings });
  expect(await report(owner.auth, createEvent("after"))).toMatchObject({
    status: 200,
    body: { accepted: 0, duplicates: 0 },
  });
  expect((await list(owner.auth)).map(({ eventId }: Event) => eventId)).toEqual(["before"]);
  const audit = await server.call("/v1/audit-events?action=telemetry_settings.changed", {
    headers: owner.auth,
  });
  expect(audit.body.items).toHaveLength(1);
  const member = await joinWorkspace(server, { orgId: (await readOrganization(owner)).id }, "member");
  expect((await changeSettings(member.auth, settings)).status).toBe(403);
  expect((await server.call("/v1/telemetry/settings", { headers: member.auth })).body).toEqual({ settings });
});

const readOrganization = async ({ auth }: Person) =>
  (await server.call("/v1/organization", { headers: auth })).body.organization;

test("message contents are stored only when the organization asks for them", async () => {
  const { owner } = await createWorkspace(server);
  const attributes = {
    "gen_ai.input.messages": '[{"role":"user"}]',
    "user.email": "ada@example.com",
    note: "n".repeat(300),
    kind: "short",
  };
  await report(owner.auth, createEvent("1", { attributes }));
  expect((await list(owner.auth))[0].attributes).toEqual({ kind: "short" });
  await changeSettings(owner.auth, { enabled: true, keepsContents: true, retentionDays: 90 });
  await report(owner.auth, createEvent("2", { attributes }));
  const { "user.email": _, ...kept } = attributes;
  const items = await list(owner.auth);
  expect(items.find(({ eventId }: Event) => eventId === "2").attributes).toEqual(kept);
});

test("a page of events ends when it has about 2 MiB of attributes", async () => {
  const { owner } = await createWorkspace(server);
  await changeSettings(owner.auth, { enabled: true, keepsContents: true, retentionDays: 90 });
  const attributes = Object.fromEntries([1, 2, 3].map((n) => [`text${n}`, "n".repeat(16_000)]));
  const ids = Array.from({ length: 50 }, (_, n) => String(n).padStart(2, "0"));
  expect((await report(owner.auth, ...ids.map((id) => createEvent(id, { attributes })))).status).toBe(200);
  const found: string[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await server.call(`/v1/telemetry/events?limit=100${cursor}`, { headers: owner.auth });
    expect(JSON.stringify(body.items).length).toBeLessThan(2.1 * 2 ** 20);
    found.push(...body.items.map(({ eventId }: Event) => eventId));
    if (body.nextCursor === null) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  expect(found.toSorted()).toEqual(ids);
  // The rest of a filter is examined in several steps, which share the limit.
  const { body } = await server.call("/v1/telemetry/events?limit=100&type=review.finished", {
    headers: owner.auth,
  });
  expect(body.items.length).toBeLessThan(50);
});

test("names beyond the limit of a day become `other`, also when two requests add them at once", async () => {
  const { owner } = await createWorkspace(server);
  const at = Date.now();
  const requests = Array.from({ length: 6 }, (_, part) =>
    Array.from({ length: 50 }, (_, i) => createEvent(`${part}-${i}`, { at, type: `type ${part} ${i}` })),
  );
  const replies = await Promise.all(requests.map((events) => report(owner.auth, ...events)));
  expect(replies.map(({ body }) => body.accepted)).toEqual([50, 50, 50, 50, 50, 50]);
  const types: Event[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { body } = await server.call(
      `/v1/telemetry/summary?groupBy=type&limit=100${cursor && `&cursor=${cursor}`}`,
      { headers: owner.auth },
    );
    types.push(...body.items);
    cursor = body.nextCursor;
  }
  expect(types).toHaveLength(201);
  expect(types.find(({ type }) => type === "other")).toMatchObject({ events: 100 });
});

test("the export is complete, in the order of time, and safe to open in a spreadsheet", async () => {
  const { owner } = await createWorkspace(server);
  const start = Date.now() - 1000;
  const events = Array.from({ length: 500 }, (_, i) => createEvent(`=${i}`, { at: start + i }));
  await report(owner.auth, ...events);
  await report(owner.auth, createEvent("last", { at: start + 500, type: "=1+1" }));
  const { body } = await server.call(`/v1/telemetry/export?from=${start}&to=${start + 501}`, {
    headers: owner.auth,
  });
  const lines = String(body).trim().split("\n");
  expect(lines).toHaveLength(502);
  expect(lines.at(-1)).toBe('{"complete":true}');
  expect(JSON.parse(lines[3]!)).toMatchObject({ eventId: "=3", at: start + 3 });
  const csv = await server.call(`/v1/telemetry/export?format=csv&from=${start + 499}`, {
    headers: owner.auth,
  });
  expect(csv.headers.get("content-type")).toContain("text/csv");
  const rows = String(csv.body).trim().split("\r\n");
  expect(rows).toHaveLength(4);
  expect(rows[2]).toContain("'=1+1");
  expect(rows[1]).toContain("'=499");
});

test("events beyond the retention are deleted and not accepted again, and their sums stay", async () => {
  const { owner, orgId } = await createWorkspace(server);
  const now = Date.now();
  const old = now - 20 * dayMs;
  await report(owner.auth, createEvent("old", { at: old }), createEvent("recent", { at: now }));
  await sumTelemetry(server.platform, now + 10_000);
  await changeSettings(owner.auth, { enabled: true, keepsContents: false, retentionDays: 10 });
  await server.platform.db.run(
    sql`update telemetry_settings set updated_at = now() - interval '1 hour' where org_id = ${orgId}`,
  );
  await pruneTelemetry(server.platform, now + 10_000);
  expect((await list(owner.auth)).map(({ eventId }: Event) => eventId)).toEqual(["recent"]);
  expect(await summarize(owner.auth, "groupBy=day")).toMatchObject([
    { day: toDay(now), events: 1 },
    { day: toDay(old), events: 1 },
  ]);
  // A longer retention does not bring back what was deleted.
  await changeSettings(owner.auth, { enabled: true, keepsContents: false, retentionDays: 90 });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect((await report(owner.auth, createEvent("old", { at: old }))).status).toBe(400);
  expect((await report(owner.auth, createEvent("late", { at: now - 9 * dayMs }))).body.accepted).toBe(1);
});

test("events of a deleted organization are deleted", async () => {
  const { owner, orgId } = await createWorkspace(server);
  await report(owner.auth, createEvent("1"));
  await server.platform.db.run(sql`delete from organizations where id = ${orgId}`);
  await sumTelemetry(server.platform, Date.now() + 10_000);
  await pruneTelemetry(server.platform, Date.now() + 10_000);
  const left = await server.platform.db.rows(sql`select id from telemetry_events where org_id = ${orgId}`);
  expect(left).toEqual([]);
});

test("the quota of telemetry refuses events, and says so", async () => {
  const { owner, orgId } = await createWorkspace(server);
  await server.platform.db.run(
    sql`insert into organization_quotas (org_id, quota, max) values (${orgId}, 'telemetry_storage', 1000)`,
  );
  expect((await report(owner.auth, createEvent("1"))).status).toBe(200);
  const { status, body } = await report(owner.auth, createEvent("2"), createEvent("3"));
  expect([status, body.error]).toEqual([409, "quota_exceeded"]);
});

test("a key reports with the permission alone, and nobody else's organization", async () => {
  const { owner } = await createWorkspace(server);
  const key = await createKey(server, owner, { permissions: ["telemetry:report"] });
  expect((await report(key.auth, createEvent("1"))).body.accepted).toBe(1);
  expect(
    (await changeSettings(key.auth, { enabled: false, keepsContents: false, retentionDays: 9 })).status,
  ).toBe(403);
  const without = await createKey(server, owner, { permissions: ["members:read"] });
  expect((await report(without.auth, createEvent("2"))).status).toBe(403);
  const stranger = await signUp(server);
  expect((await report(stranger.auth, createEvent("3"))).status).toBe(403);
  const elsewhere = await createWorkspace(server, "Elsewhere");
  expect(await list(elsewhere.owner.auth)).toEqual([]);
});

test("an event of yesterday that arrives today is in yesterday's sums", async () => {
  const { owner } = await createWorkspace(server);
  const today = Date.UTC(2026, 10, 16, 0, 5);
  await atTime(today, async () => {
    await report(owner.auth, createEvent("1", { at: today - 10 * 60_000 }), createEvent("2", { at: today }));
    await sumTelemetry(server.platform, today + 10_000);
    await report(owner.auth, createEvent("3", { at: today - 6 * 60_000 }));
    const query = `groupBy=day&from=${today - dayMs}&to=${today + dayMs}`;
    expect(await summarize(owner.auth, query)).toMatchObject([
      { day: "2026-11-16", events: 1 },
      { day: "2026-11-15", events: 2 },
    ]);
  });
});
