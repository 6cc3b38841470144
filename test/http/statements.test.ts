/** Statements that take too long, and statements whose caller has left. */
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { createDb, openPostgres, sql } from "../../src/platform/db/index.ts";
import { on, open, route } from "../../src/platform/http/index.ts";
import { createDatabase, type ServerOptions, type TestServer, useServer } from "../harness.ts";

const seconds = z.strictObject({ seconds: z.coerce.number() });
const replies = { 200: z.strictObject({ done: z.boolean() }) };
const common = { tag: "System", summary: "For tests", access: open, query: seconds, replies } as const;
const read = route({ ...common, method: "get", path: "/test/sleep" });
const write = route({ ...common, method: "post", path: "/test/sleep" });
const single = route({ ...common, method: "post", path: "/test/sleep-alone" });

const state = z.strictObject({
  state: z.enum(["57014", "57000", "57P01", "53300", "53200", "55000", "25006"]),
});
const fail = route({ ...common, query: state, method: "get", path: "/test/fail" });

let finished = 0;
const sleeping = (s: number) => sql`select pg_sleep(${s})::text as slept, 'asleep in a test' as mark`;
const moreRoutes: ServerOptions["moreRoutes"] = [
  on(read, async ({ db }, { query }) => {
    await db.row(sleeping(query.seconds));
    return { done: true };
  }),
  on(write, async ({ db }, { query }) => {
    await db.transaction((tx) => tx.row(sleeping(query.seconds)));
    finished++;
    return { done: true };
  }),
  on(fail, async ({ db }, { query }) => {
    await db.queryWithDriverTypes(
      `do $$ begin raise exception 'told to' using errcode = '${query.state}'; end $$`,
    );
    return { done: true };
  }),
  on(single, async ({ db }, { query }) => {
    await db.row(sleeping(query.seconds));
    finished++;
    return { done: true };
  }),
];

const onPostgres = inject("engine") === "postgres";

async function running(server: TestServer): Promise<number> {
  const row = await server.platform.db.row<{ count: number }>(sql`
    select count(*) from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%asleep in a test%'
      and pid <> pg_backend_pid()`);
  return row!.count;
}

async function connections(server: TestServer): Promise<number[]> {
  const rows = await server.platform.db.rows<{ pid: number }>(sql`
    select pid from pg_stat_activity where datname = current_database() and application_name = 'signalbox'`);
  return rows.map(({ pid }) => pid);
}

async function eventually(server: TestServer, count: number) {
  let found = await running(server);
  for (let i = 0; i < 200 && found !== count; i++) {
    await pause(25);
    found = await running(server);
  }
  // Not asked again: the request of a caller who has left may still begin its statement.
  expect(found).toBe(count);
}

/** Sends a request. Returns a function that closes its connection. */
function callAndLeave(server: TestServer, method: string, path: string): () => void {
  const sent = request(server.url + path, { method });
  sent.on("error", () => {});
  sent.end();
  return () => sent.destroy();
}

describe.skipIf(!onPostgres)("a statement that runs longer than its class allows (PostgreSQL)", () => {
  const server = useServer({
    moreRoutes,
    limits: { read: 300, change: 1_200, background: 2_000 },
  });

  test("is ended by the server and becomes a 503 with Retry-After, and the connection stays usable", async () => {
    expect((await server.call("/test/sleep?seconds=0")).status).toBe(200);
    const before = await connections(server);
    for (let i = 0; i < 6; i++) {
      const reply = await server.call("/test/sleep?seconds=20");
      expect(reply).toMatchObject({ status: 503, body: { error: "service_unavailable" } });
      expect(reply.body.message).toContain("did not finish this in time");
      expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    await eventually(server, 0);
    expect((await server.call("/test/sleep?seconds=0")).status).toBe(200);
    expect(await connections(server)).toEqual(expect.arrayContaining(before));
    expect(server.logLines.some((line) => line.includes("request failed"))).toBe(false);
  });

  test("is allowed more in a transaction that changes something, and more in the background", async () => {
    expect((await server.call("/test/sleep?seconds=0.6", { method: "POST" })).status).toBe(200);
    expect((await server.call("/test/sleep-alone?seconds=0.6", { method: "POST" })).status).toBe(503);
    expect((await server.call("/test/sleep?seconds=20", { method: "POST" })).status).toBe(503);
    await server.platform.db.row(sleeping(1.4));
    await expect(server.platform.db.row(sleeping(20))).rejects.toThrow(/did not finish/);
    const unlimited = server.platform.db.withOptions({ work: "unlimited" });
    await unlimited.transaction((tx) => tx.row(sleeping(2.2)));
    await unlimited.row(sleeping(2.2));
    await unlimited.queryWithDriverTypes("select pg_sleep(2.2)");
    await expect(server.platform.db.row(sleeping(20))).rejects.toThrow(/did not finish/);
    // The limit of a transaction does not stay on its connection.
    for (let i = 0; i < 6; i++) expect((await server.call("/test/sleep?seconds=0.6")).status).toBe(503);
  });
});

test.skipIf(!onPostgres)(
  "a pooler for sessions does not take away the limit of jobs (PostgreSQL)",
  async () => {
    const database = await createDatabase();
    const engine = await openPostgres(database.url!, {
      pooler: { sharesConnections: false, keepsPrepared: true, statementMs: 0 },
      limits: { background: 500 },
      onError: () => {},
    });
    const db = createDb(engine);
    await expect(db.row(sleeping(5))).rejects.toThrow(/did not finish/);
    await expect(db.transaction((tx) => tx.row(sleeping(5)))).rejects.toThrow(/did not finish/);
    await db.withOptions({ work: "unlimited" }).transaction((tx) => tx.row(sleeping(1)));
    await engine.close();
    await database.drop();
  },
);

describe.skipIf(!onPostgres)("a caller that leaves (PostgreSQL)", () => {
  const server = useServer({ moreRoutes, limits: { read: 30_000, change: 30_000 } });

  test("cancels its read statement on the server", async () => {
    const leave = [1, 2, 3].map(() => callAndLeave(server, "GET", "/test/sleep?seconds=25"));
    await eventually(server, 3);
    for (const one of leave) one();
    await eventually(server, 0);
    expect(server.logLines.some((line) => line.includes("request failed"))).toBe(false);
  });

  test("never cancels the statement of another caller, however often callers leave", async () => {
    const others: Promise<number>[] = [];
    for (let round = 0; round < 60; round++) {
      // Callers leave before, while and after their statement runs.
      const leave = callAndLeave(server, "GET", "/test/sleep?seconds=0.01");
      others.push(server.call("/test/sleep?seconds=0.02").then(({ status }) => status));
      await pause(round % 20);
      leave();
    }
    expect(new Set(await Promise.all(others))).toEqual(new Set([200]));
    await eventually(server, 0);
    expect(server.engine.pool!().waiting).toBe(0);
  });

  test("no longer waits for a connection", async () => {
    const holding = Array.from({ length: 5 }, () => callAndLeave(server, "GET", "/test/sleep?seconds=25"));
    await eventually(server, 5);
    const waiting = callAndLeave(server, "GET", "/test/sleep?seconds=25");
    await pause(100);
    waiting();
    for (const one of holding) one();
    await eventually(server, 0);
    expect((await server.call("/test/sleep?seconds=0")).status).toBe(200);
  });

  test("does not cancel a statement that changes something", async () => {
    finished = 0;
    const leave = ["/test/sleep?seconds=1", "/test/sleep-alone?seconds=1"].map((path) =>
      callAndLeave(server, "POST", path),
    );
    await eventually(server, 2);
    for (const one of leave) one();
    for (let i = 0; i < 100 && finished < 2; i++) await pause(50);
    expect(finished).toBe(2);
  });
});

describe("a database that is overloaded, shutting down or in a wrong state", () => {
  const server = useServer({ moreRoutes });

  test.each(state.shape.state.options)("is a 503 with Retry-After (%s)", async (state) => {
    const reply = await server.call(`/test/fail?state=${state}`);
    expect(reply).toMatchObject({ status: 503, body: { error: "service_unavailable" } });
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await server.call("/test/sleep?seconds=0")).status).toBe(200);
  });
});

describe("a caller that leaves", () => {
  const server = useServer({ moreRoutes });

  test("cancels a statement that has not begun", async () => {
    const left = new AbortController();
    const db = server.platform.db.withOptions({ work: "read", signal: left.signal });
    expect(await db.row(sql`select 1 as one`)).toEqual({ one: 1 });
    left.abort();
    await expect(db.row(sql`select 1 as one`)).rejects.toThrow();
    expect(await server.platform.db.row(sql`select 2 as two`)).toEqual({ two: 2 });
  });
});
