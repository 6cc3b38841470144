import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, inject, test } from "vitest";
import {
  type Auth,
  claim,
  complete,
  event,
  loseLease,
  queueRun,
  readEvents,
  readRun,
  report,
  reportBatch,
} from "../../../../test/automations.ts";
import {
  createKey,
  createWorkspace,
  joinWorkspace,
  type Reply,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import { countRowsRead, explainStatement, recordStatements } from "../../../../test/plans.ts";
import { sql } from "../../../platform/db/index.ts";

describe("reporting events", () => {
  const server = useServer();
  let acme: Workspace;
  let auth: Auth;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    auth = acme.owner.auth;
  });

  test("the first report of a queued run claims it, and the reply is the stored event", async () => {
    const run = await queueRun(server, auth);
    const reply = await report(server, auth, run.id, event(0));
    expect(reply).toMatchObject({ status: 200, body: { event: { runId: run.id, ...event(0) } } });
    expect(reply.body.event.receivedAt).toBeGreaterThan(Date.now() - 60_000);
    const seen = await readRun(server, auth, run.id);
    expect(seen.run).toMatchObject({ status: "running", attempt: 1 });
    expect(seen.attempts).toMatchObject([{ attempt: 1, outcome: null }]);
  });

  test("sequence numbers start at 0 or 1 and increase by one; a gap is refused with the expected number", async () => {
    const run = await queueRun(server, auth);
    const early = await report(server, auth, run.id, event(2));
    expect(early).toMatchObject({
      status: 409,
      body: { error: "automation_runner_event_sequence_gap", expected: 0, message: expect.any(String) },
    });
    expect((await readRun(server, auth, run.id)).run).toMatchObject({ status: "queued", attempt: 0 });
    expect((await report(server, auth, run.id, event(1))).status).toBe(200);
    expect((await report(server, auth, run.id, event(3))).body).toMatchObject({
      error: "automation_runner_event_sequence_gap",
      expected: 2,
    });
    expect((await report(server, auth, run.id, event(0))).body).toMatchObject({ expected: 2 });
    expect((await report(server, auth, run.id, event(2))).status).toBe(200);
    expect((await readEvents(server, auth, run.id)).map((one: { sequence: number }) => one.sequence)).toEqual(
      [1, 2],
    );
  });

  test("a repeated event is answered with the stored event, even when its keys have another order", async () => {
    const run = await queueRun(server, auth);
    const payload = { a: 1, b: { c: [1, 2], d: null } };
    const first = await report(server, auth, run.id, event(0, { payload }));
    const again = await report(
      server,
      auth,
      run.id,
      event(0, { payload: { b: { d: null, c: [1, 2] }, a: 1.0 } }),
    );
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(await readEvents(server, auth, run.id)).toHaveLength(1);
  });

  test.each([
    ["payload", { payload: { text: "other" } }],
    ["type", { type: "user" }],
    ["createdAt", { createdAt: 5 }],
  ])("another %s with the same sequence number is a conflict", async (_field, more) => {
    const run = await queueRun(server, auth);
    await report(server, auth, run.id, event(0));
    expect(await report(server, auth, run.id, event(0, more))).toMatchObject({
      status: 409,
      body: { error: "event_conflict", message: expect.any(String) },
    });
    expect((await readEvents(server, auth, run.id))[0]).toMatchObject(event(0));
  });

  test("nothing follows a terminal event; the terminal event itself can be sent again", async () => {
    const run = await queueRun(server, auth);
    const last = event(0, { type: "terminal" });
    expect((await report(server, auth, run.id, last)).status).toBe(200);
    expect(await report(server, auth, run.id, event(1))).toMatchObject({
      status: 409,
      body: { error: "run_already_completed", message: expect.stringContaining("Send the completion") },
    });
    expect((await report(server, auth, run.id, last)).status).toBe(200);
    expect((await complete(server, auth, run.id, { attempt: 1, status: "succeeded" })).status).toBe(200);
  });

  test("after completion an old event can be sent again, a new one is refused", async () => {
    const run = await queueRun(server, auth);
    await report(server, auth, run.id, event(0));
    await complete(server, auth, run.id, { attempt: 1, status: "succeeded" });
    expect((await report(server, auth, run.id, event(0))).status).toBe(200);
    expect(await report(server, auth, run.id, event(1))).toMatchObject({
      status: 409,
      body: { error: "run_already_completed" },
    });
  });

  test("kind is another name of type, and two different values are refused", async () => {
    const run = await queueRun(server, auth);
    const { type: _, ...nameless } = event(0);
    expect((await report(server, auth, run.id, { ...nameless, kind: "user" })).body.event.type).toBe("user");
    expect((await report(server, auth, run.id, { ...event(1), kind: "assistant" })).status).toBe(200);
    expect(await report(server, auth, run.id, { ...event(2), kind: "user" })).toMatchObject({
      status: 400,
      body: { error: "invalid_request", details: [{ path: ["kind"] }] },
    });
    expect(await report(server, auth, run.id, nameless)).toMatchObject({
      status: 400,
      body: { details: [{ path: ["type"] }] },
    });
  });

  test("unknown fields and query parameters are ignored", async () => {
    const run = await queueRun(server, auth);
    const reply = await server.call(`/v1/automation-runs/${run.id}/events?trace=1`, {
      body: event(0, { future: { x: 1 } }),
      headers: auth,
    });
    expect(reply.status).toBe(200);
    expect(reply.body.event).not.toHaveProperty("future");
  });

  test.each([
    ["attempt 0", { attempt: 0 }],
    ["attempt over 2^53-1", { attempt: 2 ** 53 }],
    ["a broken attempt", { attempt: 1.5 }],
    ["no attempt", { attempt: undefined }],
    ["a negative sequence", { sequence: -1 }],
    ["no sequence", { sequence: undefined }],
    ["no payload", { payload: undefined }],
    ["a payload that is a list", { payload: [] }],
    ["a payload that is null", { payload: null }],
    ["a negative createdAt", { createdAt: -1 }],
    ["createdAt over 2^53-1", { createdAt: 2 ** 53 }],
    ["no createdAt", { createdAt: undefined }],
    ["an unknown type", { type: "thought" }],
  ])("%s is refused with 400 and its path", async (_what, more) => {
    const run = await queueRun(server, auth);
    const reply = await report(server, auth, run.id, event(0, more));
    expect(reply).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(reply.body.details[0].path[0]).toBe(Object.keys(more)[0]);
  });

  test("the largest numbers that are allowed do no harm", async () => {
    const run = await queueRun(server, auth);
    const most = Number.MAX_SAFE_INTEGER;
    expect((await report(server, auth, run.id, event(0, { createdAt: most }))).body.event.createdAt).toBe(
      most,
    );
    expect((await report(server, auth, run.id, event(0, { attempt: most }))).body.error).toBe(
      "runner_lease_lost",
    );
    expect((await report(server, auth, run.id, event(most, { createdAt: 0 }))).body).toMatchObject({
      expected: 1,
    });
    const heartbeat = `/v1/automation-runs/${run.id}/heartbeat`;
    expect((await server.call(heartbeat, { body: { attempt: most }, headers: auth })).status).toBe(409);
  });

  test("a payload of 256 KiB is stored, one byte more is a 413", async () => {
    const run = await queueRun(server, auth);
    const text = "x".repeat(256 * 1024 - '{"text":""}'.length);
    expect((await report(server, auth, run.id, event(0, { payload: { text } }))).status).toBe(200);
    expect(await report(server, auth, run.id, event(1, { payload: { text: `${text}x` } }))).toMatchObject({
      status: 413,
      body: { error: "payload_too_large" },
    });
    const wide = "é".repeat(128 * 1024);
    expect((await report(server, auth, run.id, event(1, { payload: { text: wide } }))).status).toBe(413);
    expect((await readEvents(server, auth, run.id))[0].payload.text).toHaveLength(text.length);
  });

  test("payloads are returned as they were sent", async () => {
    const run = await queueRun(server, auth);
    const payload = JSON.parse(
      '{"z":1,"a":"\\u2028 ☃ 🚆","nested":{"__proto__":{"x":1},"":[true,null,-0.5,1e21]},"__proto__":1}',
    );
    await report(server, auth, run.id, event(0, { payload }));
    const [stored] = await readEvents(server, auth, run.id);
    expect(JSON.stringify(stored.payload)).toBe(JSON.stringify(payload));
  });

  test("an unknown run, a malformed id and another organization's run are the same 404", async () => {
    const run = await queueRun(server, auth);
    const globex = await createWorkspace(server, "Globex");
    const notFound = { status: 404, body: { error: "automation_run_not_found" } };
    expect(await report(server, globex.owner.auth, run.id, event(0))).toMatchObject(notFound);
    expect(await report(server, auth, "run_nonsense", event(0))).toMatchObject(notFound);
    expect(await report(server, auth, "run_01h455vb4pex5vsknk084sn02q", event(0))).toMatchObject(notFound);
    for (const path of ["", "/events", "/late-reports", "/stream"]) {
      const read = (id: string, headers: Auth) =>
        server.call(`/v1/automation-runs/${id}${path}`, { headers });
      expect(await read(run.id, globex.owner.auth)).toMatchObject(notFound);
      expect(await read("run_%00", auth)).toMatchObject(notFound);
    }
    expect((await report(server, auth, "x".repeat(161), event(0))).status).toBe(400);
    expect((await report(server, auth, "x".repeat(160), event(0))).status).toBe(404);
  });

  test("a colleague may not report on a private run; an admin and the owner's key may", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const colleague = await joinWorkspace(server, acme, "member");
    const admin = await joinWorkspace(server, acme, "admin");
    const run = await queueRun(server, member.auth);
    expect((await report(server, colleague.auth, run.id, event(0))).status).toBe(404);
    const key = await createKey(server, member);
    expect((await report(server, key.auth, run.id, event(0))).status).toBe(200);
    expect((await report(server, member.auth, run.id, event(1))).status).toBe(200);
    // The admin may, but somebody else holds the run.
    expect((await report(server, admin.auth, run.id, event(2))).body.error).toBe("runner_lease_lost");
    const other = await queueRun(server, member.auth);
    expect((await report(server, admin.auth, other.id, event(0))).status).toBe(200);
  });

  test("a report of an earlier attempt is refused, stored separately, and changes nothing", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const run = await queueRun(server, member.auth);
    expect((await claim(server, member.auth, run.id)).attempt).toBe(1);
    await report(server, member.auth, run.id, event(0));
    await loseLease(server, run.id);
    expect(await report(server, member.auth, run.id, event(1))).toMatchObject({
      status: 409,
      body: { error: "runner_lease_lost" },
    });
    const second = await claim(server, auth, run.id);
    expect(second.attempt).toBe(2);
    expect((await report(server, auth, run.id, event(0, { attempt: 2 }))).status).toBe(200);
    const late = event(1, { payload: { text: "too late" } });
    expect((await report(server, member.auth, run.id, late)).body.error).toBe("runner_lease_lost");
    expect((await report(server, member.auth, run.id, late)).body.error).toBe("runner_lease_lost");
    expect(
      (await complete(server, member.auth, run.id, { attempt: 1, status: "succeeded" })).body.error,
    ).toBe("runner_lease_lost");
    // What was accepted before the loss can still be sent again.
    expect((await report(server, member.auth, run.id, event(0))).status).toBe(200);

    const seen = await readRun(server, auth, run.id);
    expect(seen.run).toMatchObject({ status: "running", attempt: 2, lateReports: 3 });
    expect(seen.attempts).toMatchObject([{ outcome: "lease_lost" }, { outcome: null }]);
    const kept = await server.call(`/v1/automation-runs/${run.id}/late-reports`, { headers: auth });
    expect(kept.body.items).toMatchObject([
      { kind: "completion", attempt: 1, sequence: null, body: { status: "succeeded" } },
      { kind: "event", attempt: 1, sequence: 1, body: { payload: { text: "too late" } } },
      { kind: "event", attempt: 1, sequence: 1, body: { payload: { text: "event 1" } } },
    ]);
    const events = await readEvents(server, auth, run.id);
    expect(events.map((one: { attempt: number; sequence: number }) => [one.attempt, one.sequence])).toEqual([
      [1, 0],
      [2, 0],
    ]);
  });

  test("an accepted report renews the lease", async () => {
    const run = await queueRun(server, auth);
    await report(server, auth, run.id, event(0));
    await server.platform.db.run(
      sql`update automation_runs set lease_expires_at = now() + interval '5 seconds' where id = ${run.id}`,
    );
    await report(server, auth, run.id, event(1));
    const { leaseExpiresAt } = (await readRun(server, auth, run.id)).run;
    expect(leaseExpiresAt).toBeGreaterThan(Date.now() + 30_000);
  });

  test("an event that is sent ten times at the same moment is stored once and acknowledged ten times", async () => {
    const run = await queueRun(server, auth);
    await report(server, auth, run.id, event(0));
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => report(server, auth, run.id, event(1))),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await readEvents(server, auth, run.id)).toHaveLength(2);
  });

  test("of different events with one sequence number at the same moment, one is stored and the others are conflicts", async () => {
    const run = await queueRun(server, auth);
    await report(server, auth, run.id, event(0));
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) => report(server, auth, run.id, event(1, { payload: { i } }))),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ body }) => body.error === "event_conflict")).toHaveLength(7);
  });
});

describe.skipIf(inject("engine") === "pglite")(
  "events of a run whose row is locked (PostgreSQL only)",
  () => {
    const server = useServer();
    let auth: Auth;
    beforeAll(async () => {
      auth = (await createWorkspace(server)).owner.auth;
    });

    test("wait until the lock is released, and the events of other runs do not wait", async () => {
      const [busy, other] = [await queueRun(server, auth), await queueRun(server, auth)];
      for (const { id } of [busy, other]) await report(server, auth, id, event(0));
      let waiting: Promise<Reply> | undefined;
      await server.platform.db.transaction(async (tx) => {
        await tx.run(sql`select 1 from automation_runs where id = ${busy.id} for update`);
        waiting = report(server, auth, busy.id, event(1));
        for (let n = 1; n < 20; n++) {
          const together = Promise.all([report(server, auth, other.id, event(n)), pause(10)]);
          expect((await together)[0].status).toBe(200);
        }
        expect(await Promise.race([waiting, pause(100, "still waiting")])).toBe("still waiting");
        await tx.run(
          sql`update automation_runs set status = 'succeeded', finished_at = now() where id = ${busy.id}`,
        );
      });
      expect(await waiting).toMatchObject({ status: 409, body: { error: "run_already_completed" } });
      expect(await readEvents(server, auth, busy.id)).toHaveLength(1);
    });
  },
);

describe("reporting events in batches", () => {
  const server = useServer();
  let auth: Auth;
  beforeAll(async () => {
    auth = (await createWorkspace(server)).owner.auth;
  });

  const upTo = (n: number, from = 0) => Array.from({ length: n - from }, (_, i) => event(from + i));

  test("a batch is stored whole, in order, and claims a queued run", async () => {
    const run = await queueRun(server, auth);
    const reply = await reportBatch(server, auth, run.id, upTo(500));
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ added: 500, repeated: 0, lastSequence: 499 });
    const next = await reportBatch(server, auth, run.id, upTo(510, 500));
    expect(next.body).toEqual({ added: 10, repeated: 0, lastSequence: 509 });
  });

  test("501 events are refused, an empty batch too", async () => {
    const run = await queueRun(server, auth);
    expect((await reportBatch(server, auth, run.id, upTo(501))).status).toBe(400);
    expect((await reportBatch(server, auth, run.id, [])).status).toBe(400);
  });

  test("a body over 1 MiB is a 413, and so is one payload over 256 KiB", async () => {
    const run = await queueRun(server, auth);
    const big = upTo(6).map((one) => ({ ...one, payload: { text: "x".repeat(200_000) } }));
    expect((await reportBatch(server, auth, run.id, big)).status).toBe(413);
    const one = [event(0), event(1, { payload: { text: "x".repeat(300_000) } })];
    const reply = await reportBatch(server, auth, run.id, one);
    expect(reply).toMatchObject({ status: 413, body: { error: "payload_too_large" } });
    expect(reply.body.message).toContain("event 1");
    expect(await readEvents(server, auth, run.id)).toEqual([]);
  });

  test("a gap inside a batch refuses the whole batch and names the first wrong event", async () => {
    const run = await queueRun(server, auth);
    const reply = await reportBatch(server, auth, run.id, [event(0), event(1), event(3), event(5)]);
    expect(reply).toMatchObject({
      status: 409,
      body: { error: "automation_runner_event_sequence_gap", index: 2, sequence: 3, expected: 2 },
    });
    expect(await readEvents(server, auth, run.id)).toEqual([]);
    expect((await readRun(server, auth, run.id)).run.status).toBe("queued");
  });

  test("stored events are skipped and new ones are added; a different event refuses the whole batch", async () => {
    const run = await queueRun(server, auth);
    await reportBatch(server, auth, run.id, upTo(3));
    const overlapping = await reportBatch(server, auth, run.id, upTo(6, 1));
    expect(overlapping.body).toEqual({ added: 3, repeated: 2, lastSequence: 5 });
    const again = await reportBatch(server, auth, run.id, upTo(2));
    expect(again).toMatchObject({ status: 200, body: { added: 0, repeated: 2, lastSequence: 5 } });
    const altered = await reportBatch(server, auth, run.id, [event(5), event(4, { createdAt: 1 }), event(6)]);
    expect(altered).toMatchObject({ status: 409, body: { error: "event_conflict", index: 1, sequence: 4 } });
    expect(await readEvents(server, auth, run.id)).toHaveLength(6);
  });

  test("the same event twice in one batch is stored once; two different events with one number are a conflict", async () => {
    const run = await queueRun(server, auth);
    const twice = await reportBatch(server, auth, run.id, [event(0), event(0), event(1)]);
    expect(twice).toMatchObject({ status: 200, body: { added: 2, repeated: 1, lastSequence: 1 } });
    expect(await readEvents(server, auth, run.id)).toHaveLength(2);
    const reply = await reportBatch(server, auth, run.id, [event(2), event(2, { createdAt: 9 })]);
    expect(reply).toMatchObject({ status: 409, body: { error: "event_conflict", index: 1 } });
    expect(await readEvents(server, auth, run.id)).toHaveLength(2);
  });

  test("a batch reads only the stored events that it names, and no payload of another size", async () => {
    const run = await queueRun(server, auth);
    const payload = { text: "x".repeat(10_000) };
    for (const from of [0, 80, 160])
      await reportBatch(
        server,
        auth,
        run.id,
        upTo(from + 80, from).map((one) => ({ ...one, payload })),
      );
    const measure = async (events: object[]) => {
      const statements = await recordStatements(server.engine, async () => {
        expect((await reportBatch(server, auth, run.id, events)).status).toBe(409);
      });
      const [read] = statements.filter(({ text }) => text.includes("positions"));
      const { rows } = await server.engine.query(read!.text, read!.values);
      return {
        rowsRead: countRowsRead(await explainStatement(server.engine, read!.text, read!.values)),
        bytes: JSON.stringify(rows).length,
      };
    };
    // The statement also reads the run, the attempt and the last event.
    const far = await measure([event(3, { payload }), event(2 ** 53 - 1, { createdAt: 1 })]);
    expect(far.rowsRead).toBeLessThan(20);
    expect(far.bytes).toBeLessThan(12_000);
    expect((await measure(upTo(240))).bytes).toBeLessThan(100_000);
  });

  test("of batches with different first numbers and lengths at the same moment, the events of one are stored", async () => {
    for (let round = 0; round < 20; round++) {
      const run = await queueRun(server, auth);
      await claim(server, auth, run.id);
      const mark = (mark: number) => (one: object) => ({ ...one, createdAt: mark });
      const batches = [upTo(2), upTo(4), upTo(3, 1), upTo(2, 1)].map((events, n) => events.map(mark(n)));
      const replies = await Promise.all(batches.map((events) => reportBatch(server, auth, run.id, events)));
      const accepted = replies.flatMap(({ status }, n) => (status === 200 ? [n] : []));
      expect(accepted).toHaveLength(1);
      const stored = await readEvents(server, auth, run.id);
      expect(stored).toMatchObject(batches[accepted[0]!]!);
      expect(stored).toHaveLength(batches[accepted[0]!]!.length);
    }
  });

  test("a terminal event ends the batch", async () => {
    const run = await queueRun(server, auth);
    const reply = await reportBatch(server, auth, run.id, [
      event(0),
      event(1, { type: "terminal" }),
      event(2),
    ]);
    expect(reply).toMatchObject({ status: 409, body: { error: "run_already_completed", index: 2 } });
    const fine = await reportBatch(server, auth, run.id, [event(0), event(1, { type: "terminal" })]);
    expect(fine.status).toBe(200);
  });

  test("events of two attempts in one batch are refused", async () => {
    const run = await queueRun(server, auth);
    expect(await reportBatch(server, auth, run.id, [event(0), event(1, { attempt: 2 })])).toMatchObject({
      status: 409,
      body: { error: "runner_lease_lost", index: 1, sequence: 1 },
    });
    // Nothing was stored, so the run still takes the events of its attempt.
    expect((await reportBatch(server, auth, run.id, [event(0), event(1)])).body.added).toBe(2);
    const later = [event(0), event(1), event(2), event(0, { attempt: 2 }), event(4)];
    expect(await reportBatch(server, auth, run.id, later)).toMatchObject({
      status: 409,
      body: { error: "runner_lease_lost", index: 3, sequence: 0 },
    });
    // An earlier invalid event is reported first.
    expect(await reportBatch(server, auth, run.id, [event(7), event(0, { attempt: 2 })])).toMatchObject({
      status: 409,
      body: { error: "automation_runner_event_sequence_gap", index: 0, expected: 2 },
    });
  });

  test("a number beyond the range of a double is refused with its path, and never stored as null", async () => {
    const run = await queueRun(server, auth);
    for (const number of ["1e400", "-1E+400", `1${"0".repeat(400)}`]) {
      const body = `{"attempt":1,"sequence":0,"type":"user","payload":{"a":[{"big":${number}}]},"createdAt":1}`;
      const path = `/v1/automation-runs/${run.id}/events`;
      const headers = { ...auth, "content-type": "application/json" };
      expect(await server.call(path, { method: "POST", body, headers })).toMatchObject({
        status: 400,
        body: { error: "invalid_request", details: [{ path: ["payload", "a", 0, "big"] }] },
      });
    }
    const fine = event(0, { payload: { most: 1.7976931348623157e308, text: "1e400", least: 5e-324 } });
    expect((await reportBatch(server, auth, run.id, [fine])).status).toBe(200);
  });

  test("the events of a late batch are stored separately, one by one", async () => {
    const run = await queueRun(server, auth);
    await reportBatch(server, auth, run.id, upTo(2));
    await loseLease(server, run.id);
    const reply = await reportBatch(server, auth, run.id, upTo(5));
    expect(reply).toMatchObject({ status: 409, body: { error: "runner_lease_lost", index: 2 } });
    expect((await readRun(server, auth, run.id)).run.lateReports).toBe(3);
  });

  test("a page of late reports ends early when their bodies are large, and the next page continues", async () => {
    const run = await queueRun(server, auth);
    await report(server, auth, run.id, event(0));
    await loseLease(server, run.id);
    const payload = { text: "x".repeat(250_000) };
    for (let n = 1; n <= 12; n++) await report(server, auth, run.id, event(n, { payload }));
    const list = async (query: string) => {
      const { body } = await server.call(`/v1/automation-runs/${run.id}/late-reports${query}`, {
        headers: auth,
      });
      const sequences = body.items.map(({ sequence }: { sequence: number }) => sequence);
      return { sequences, nextCursor: body.nextCursor as string | null };
    };
    const first = await list("");
    expect(first.sequences).toEqual([12, 11, 10, 9, 8, 7, 6, 5]);
    expect(await list(`?cursor=${first.nextCursor}`)).toEqual({ sequences: [4, 3, 2, 1], nextCursor: null });
    const short = await list("?limit=2");
    expect(short.sequences).toEqual([12, 11]);
    expect((await list(`?limit=10&cursor=${short.nextCursor}`)).sequences).toHaveLength(8);
  });
});

describe("reading events", () => {
  const server = useServer();
  let auth: Auth;
  beforeAll(async () => {
    auth = (await createWorkspace(server)).owner.auth;
  });

  test("pages are ordered by attempt and sequence, ascending or descending, and skip no event", async () => {
    const run = await queueRun(server, auth);
    await reportBatch(
      server,
      auth,
      run.id,
      [0, 1, 2, 3, 4].map((n) => event(n)),
    );
    await loseLease(server, run.id);
    await claim(server, auth, run.id);
    await reportBatch(
      server,
      auth,
      run.id,
      [0, 1].map((n) => event(n, { attempt: 2 })),
    );
    const readAll = async (order: string) => {
      const seen: string[] = [];
      for (let cursor = ""; ; ) {
        const path = `/v1/automation-runs/${run.id}/events?limit=3&order=${order}${cursor}`;
        const { body } = await server.call(path, { headers: auth });
        for (const { attempt, sequence } of body.items) seen.push(`${attempt}.${sequence}`);
        if (!body.nextCursor) return seen;
        cursor = `&cursor=${body.nextCursor}`;
      }
    };
    const forwards = ["1.0", "1.1", "1.2", "1.3", "1.4", "2.0", "2.1"];
    expect(await readAll("asc")).toEqual(forwards);
    expect(await readAll("desc")).toEqual(forwards.toReversed());
    const wrong = await server.call(`/v1/automation-runs/${run.id}/events?cursor=zzz`, { headers: auth });
    expect(wrong.status).toBe(400);
    const page = await server.call(`/v1/automation-runs/${run.id}/events?order=desc&limit=2`, {
      headers: auth,
    });
    const turned = await server.call(`/v1/automation-runs/${run.id}/events?cursor=${page.body.nextCursor}`, {
      headers: auth,
    });
    expect(turned).toMatchObject({ status: 400, body: { details: [{ path: ["cursor"] }] } });
  });

  test("pages of any length have every event once, however the events were reported", async () => {
    const run = await queueRun(server, auth);
    const expected: string[] = [];
    for (const [attempt, first, sizes] of [
      [1, 1, [1, 3, 1, 130, 2]],
      [2, 0, [70, 1, 1]],
    ] as const) {
      if (attempt > 1) {
        await loseLease(server, run.id);
        await claim(server, auth, run.id);
      }
      let next: number = first;
      for (const size of sizes) {
        const events = Array.from({ length: size }, (_, n) => event(next + n, { attempt }));
        expect((await reportBatch(server, auth, run.id, events)).status).toBe(200);
        for (const { sequence } of events) expected.push(`${attempt}.${sequence} event ${sequence}`);
        next += size;
      }
    }
    for (const order of ["asc", "desc"])
      for (const limit of [1, 2, 7, 64, 100]) {
        const seen: string[] = [];
        for (let cursor = ""; ; ) {
          const path = `/v1/automation-runs/${run.id}/events?limit=${limit}&order=${order}${cursor}`;
          const { body } = await server.call(path, { headers: auth });
          for (const { attempt, sequence, payload } of body.items)
            seen.push(`${attempt}.${sequence} ${payload.text}`);
          if (!body.nextCursor) break;
          expect(body.items).toHaveLength(limit);
          cursor = `&cursor=${body.nextCursor}`;
        }
        expect(seen).toEqual(order === "asc" ? expected : expected.toReversed());
      }
  });

  test("a page ends early when its payloads are large, and the next page continues", async () => {
    const run = await queueRun(server, auth);
    const payload = { text: "x".repeat(250_000) };
    for (let n = 0; n < 12; n++) await report(server, auth, run.id, event(n, { payload }));
    const first = await server.call(`/v1/automation-runs/${run.id}/events`, { headers: auth });
    expect(first.body.items).toHaveLength(8);
    const second = await server.call(`/v1/automation-runs/${run.id}/events?cursor=${first.body.nextCursor}`, {
      headers: auth,
    });
    expect(second.body.items.map((one: { sequence: number }) => one.sequence)).toEqual([8, 9, 10, 11]);
    expect(second.body.nextCursor).toBeNull();
  });
});
