import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { type Auth, complete, event, queueRun, report, reportBatch } from "../../../../test/automations.ts";
import { createKey, createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { openSse, type SseMessage, type SseReader } from "../../../../test/sse.ts";
import type { OrgId } from "../../../platform/context.ts";
import { type Engine, sql } from "../../../platform/db/index.ts";
import { runChanges } from "../runs/index.ts";
import { runFollowers } from "./followers.ts";

const sequences = (messages: SseMessage[]) =>
  messages.filter(({ event }) => event === undefined).map(({ data }) => data.sequence);

/** How many statements outside of transactions name this run while `work` is done. */
async function countQueries(engine: Engine, runId: string, work: () => Promise<unknown>): Promise<number> {
  const { query } = engine;
  let looks = 0;
  // Followers have a `Db` of their own, so the statements are counted where all of them arrive.
  engine.query = (text, values, ...rest) => {
    if (values.includes(runId)) looks++;
    return query(text, values, ...rest);
  };
  try {
    await work();
  } finally {
    engine.query = query;
  }
  return looks;
}

describe("many streams of one run", () => {
  const server = useServer();
  let acme: Workspace;
  let auth: Auth;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    auth = acme.owner.auth;
  });
  const open = (id: string, headers: Auth = auth) =>
    openSse(`${server.url}/v1/automation-runs/${id}/stream`, headers);
  async function openMany(id: string, count: number): Promise<SseReader[]> {
    const streams = await Promise.all(Array.from({ length: count }, () => open(id)));
    await Promise.all(streams.map((stream) => stream.find(({ event }) => event === "run")));
    // By then other processes know the new follower. It also reads the run again one second after its start, and again
    // four seconds later. Each of these reads can be a second late.
    await pause(server.platform.db.kind === "postgres" ? 9_000 : 1_000);
    return streams;
  }

  test("send no query while nothing happens, and share the queries for a change", async () => {
    const run = await queueRun(server, auth);
    const streams = await openMany(run.id, 20);
    expect(await countQueries(server.engine, run.id, () => pause(7_000))).toBe(0);
    const looks = await countQueries(server.engine, run.id, async () => {
      await report(server, auth, run.id, event(0));
      await Promise.all(streams.map((stream) => stream.find(({ id }) => id === "0")));
      await pause(200);
    });
    expect(looks).toBeGreaterThan(0);
    // The report itself needs a few statements. Twenty watchers that each look would need forty more.
    expect(looks).toBeLessThan(20);
    for (const stream of streams) stream.close();
  }, 60_000);

  test("share one query every few seconds while bus messages are lost", async () => {
    const { db, bus } = server.platform;
    const run = await queueRun(server, auth);
    const streams = await openMany(run.id, 20);
    const { isUp } = bus;
    bus.isUp = () => false;
    try {
      // This change is not announced.
      await db.run(
        sql`update automation_runs set status = 'cancelled', finished_at = now() where id = ${run.id}`,
      );
      const looks = await countQueries(server.engine, run.id, () =>
        Promise.all(streams.map((stream) => stream.ended)),
      );
      expect(looks).toBeGreaterThan(0);
      expect(looks).toBeLessThan(10);
    } finally {
      bus.isUp = isUp;
    }
    for (const { messages } of streams) {
      expect(messages.at(-1)).toMatchObject({ event: "run", data: { status: "cancelled" } });
    }
  }, 60_000);

  test("end at once when the automation is archived while the run is queued", async () => {
    const run = await queueRun(server, auth);
    const [stream] = await openMany(run.id, 1);
    const path = `/v1/automations/${run.automationId}/archive`;
    expect((await server.call(path, { method: "POST", headers: auth })).status).toBeLessThan(300);
    const late = pause(5_000, "late");
    expect(await Promise.race([stream!.ended.then(() => "ended"), late])).toBe("ended");
    expect(stream!.messages.at(-1)).toMatchObject({ data: { reason: "automation_archived" } });
  }, 60_000);

  test("end at once when the run is cancelled while it is queued", async () => {
    const run = await queueRun(server, auth);
    const [stream] = await openMany(run.id, 1);
    await server.call(`/v1/automation-runs/${run.id}/cancel`, { method: "POST", headers: auth });
    const late = pause(5_000, "late");
    expect(await Promise.race([stream!.ended.then(() => "ended"), late])).toBe("ended");
    expect(stream!.messages.at(-1)).toMatchObject({ data: { status: "cancelled" } });
  }, 60_000);

  test("get a change that is announced inside a transaction after that transaction commits", async () => {
    const { platform } = server;
    const run = await queueRun(server, auth);
    const [stream] = await openMany(run.id, 1);
    await platform.db.transaction(async (tx) => {
      await tx.run(
        sql`update automation_runs set status = 'cancelled', finished_at = now() where id = ${run.id}`,
      );
      platform.state.get(runChanges).announce(tx, run.id);
      // A look before the commit finds the run unchanged, and no further look follows.
      await pause(300);
    });
    const late = pause(5_000, "late");
    expect(await Promise.race([stream!.ended.then(() => "ended"), late])).toBe("ended");
    expect(stream!.messages.at(-1)).toMatchObject({ data: { status: "cancelled" } });
  }, 60_000);

  test("each get every event once and in order, even when they begin late or read slowly", async () => {
    const run = await queueRun(server, auth);
    const early = await open(run.id);
    await early.find(({ event }) => event === "run");
    const slow = await fetch(`${server.url}/v1/automation-runs/${run.id}/stream`, { headers: auth });
    // Together larger than the buffer for readers that are behind.
    const payload = { text: "x".repeat(60_000) };
    const batch = (from: number) => Array.from({ length: 10 }, (_, i) => event(from + i, { payload }));
    for (let from = 0; from < 30; from += 10) await reportBatch(server, auth, run.id, batch(from));
    const late = await open(run.id);
    await reportBatch(server, auth, run.id, batch(30));
    await complete(server, auth, run.id, { attempt: 1, status: "succeeded" });
    const all = Array.from({ length: 40 }, (_, n) => n);
    for (const stream of [early, late]) {
      await stream.ended;
      expect(sequences(stream.messages)).toEqual(all);
    }
    const text = await slow.text();
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))).toEqual(all);
  }, 60_000);

  test("each get every event once when the database fails between two pages", async () => {
    const run = await queueRun(server, auth);
    const [stream] = await openMany(run.id, 1);
    const { engine } = server;
    const { query } = engine;
    let pages = 0;
    engine.query = (text, ...rest) => {
      if (text.includes("row_number() over page") && ++pages === 2)
        return Promise.reject(new Error("the connection is gone"));
      return query(text, ...rest);
    };
    try {
      await reportBatch(
        server,
        auth,
        run.id,
        Array.from({ length: 120 }, (_, n) => event(n)),
      );
      await stream!.find(({ id }) => id === "119", 20_000);
    } finally {
      engine.query = query;
    }
    await complete(server, auth, run.id, { attempt: 1, status: "succeeded" });
    await stream!.ended;
    expect(sequences(stream!.messages)).toEqual(Array.from({ length: 120 }, (_, n) => n));
  }, 60_000);

  test("that close during a query leave no bytes in the buffers of the process", async () => {
    const { platform, engine } = server;
    const { query } = engine;
    const { id } = await queueRun(server, auth);
    const watch = () => platform.state.get(runFollowers).watch(acme.orgId as OrgId, id, () => {});
    const large = { text: "x".repeat(500_000) };
    async function closeDuringLook(sequence: number) {
      const { state, stopWatching } = watch();
      await state();
      const [read, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      engine.query = async (text, ...rest) => {
        const result = await query(text, ...rest);
        if (!text.includes("row_number() over page")) return result;
        read.resolve();
        await closed.promise;
        return { ...result, rows: result.rows.map((row) => ({ ...row, payload: large })) };
      };
      await report(server, auth, id, event(sequence));
      await read.promise;
      stopWatching();
      closed.resolve();
    }
    try {
      // Together more than all buffers may have.
      for (let sequence = 0; sequence < 70; sequence++) await closeDuringLook(sequence);
    } finally {
      engine.query = query;
    }
    const { state, eventsAfter, stopWatching } = watch();
    const { tail } = (await state())!;
    await report(server, auth, id, event(70, { payload: { text: "x".repeat(100_000) } }));
    await expect.poll(() => eventsAfter(tail)?.length).toBe(1);
    stopWatching();
  }, 60_000);

  test("are refused with 429 past the limit of a credential, and another credential still gets one", async () => {
    const run = await queueRun(server, auth);
    const [first, second] = [await createKey(server, acme.owner), await createKey(server, acme.owner)];
    const streams: SseReader[] = [];
    for (let i = 0; i < 100; i++) streams.push(await open(run.id, first.auth as unknown as Auth));
    expect(streams.every(({ status }) => status === 200)).toBe(true);
    const refused = await server.call(`/v1/automation-runs/${run.id}/stream`, { headers: first.auth });
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(refused.body.message).toContain("100 streams");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const other = await open(run.id, second.auth as unknown as Auth);
    expect(other.status).toBe(200);
    for (const stream of [...streams, other]) stream.close();
    await expect
      .poll(async () => {
        const again = await open(run.id, first.auth as unknown as Auth);
        again.close();
        return again.status;
      })
      .toBe(200);
  }, 60_000);
});
