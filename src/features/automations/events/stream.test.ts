import { beforeAll, describe, expect, test } from "vitest";
import {
  type Auth,
  claim,
  complete,
  event,
  loseLease,
  queueRun,
  report,
  reportBatch,
} from "../../../../test/automations.ts";
import {
  createDatabase,
  createWorkspace,
  joinWorkspace,
  startServer,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import { openSse, type SseMessage } from "../../../../test/sse.ts";
import { sql } from "../../../platform/db/index.ts";
import { invalidateCallers } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";

const sequences = (messages: SseMessage[]) =>
  messages.filter(({ event }) => event === undefined).map(({ data }) => data.sequence);

describe("the stream of a run", () => {
  const server = useServer();
  let acme: Workspace;
  let auth: Auth;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    auth = acme.owner.auth;
  });
  const open = (id: string, headers: Auth = {}, query = "") =>
    openSse(`${server.url}/v1/automation-runs/${id}/stream${query}`, { ...auth, ...headers });

  test("sends earlier events, then new ones, and ends with the run after its last event", async () => {
    const run = await queueRun(server, auth);
    await reportBatch(server, auth, run.id, [event(0), event(1)]);
    const stream = await open(run.id);
    expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/);
    await stream.find(({ id }) => id === "1");
    const started = performance.now();
    await report(server, auth, run.id, event(2));
    const live = await stream.find(({ id }) => id === "2");
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(live.data).toMatchObject({ runId: run.id, ...event(2) });
    await report(server, auth, run.id, event(3, { type: "terminal" }));
    await complete(server, auth, run.id, { attempt: 1, status: "succeeded" });
    await stream.ended;
    expect(sequences(stream.messages)).toEqual([0, 1, 2, 3]);
    expect(stream.messages.at(-1)).toMatchObject({ event: "run", data: { status: "succeeded" } });
  });

  test("continues after the last id that a reader got; a finished run without further events gives 204", async () => {
    const run = await queueRun(server, auth);
    await reportBatch(
      server,
      auth,
      run.id,
      [0, 1, 2, 3].map((n) => event(n)),
    );
    await complete(server, auth, run.id, { attempt: 1, status: "succeeded" });
    const rest = await open(run.id, { "last-event-id": "1" });
    await rest.ended;
    expect(sequences(rest.messages)).toEqual([2, 3]);
    const byQuery = await open(run.id, {}, "?lastEventId=2");
    await byQuery.ended;
    expect(sequences(byQuery.messages)).toEqual([3]);
    expect((await open(run.id, { "last-event-id": "3" })).status).toBe(204);
    const odd = await open(run.id, { "last-event-id": "nonsense" });
    await odd.ended;
    expect(sequences(odd.messages)).toEqual([0, 1, 2, 3]);
  });

  test("continues with the next attempt of the run, whose ids contain the attempt", async () => {
    const run = await queueRun(server, auth);
    await reportBatch(server, auth, run.id, [event(0), event(1)]);
    const stream = await open(run.id);
    await stream.find(({ id }) => id === "1");
    await loseLease(server, run.id);
    await claim(server, auth, run.id);
    await report(server, auth, run.id, event(0, { attempt: 2 }));
    await stream.find(({ id }) => id === "2.0");
    stream.close();
    await report(server, auth, run.id, event(1, { attempt: 2 }));
    await complete(server, auth, run.id, { attempt: 2, status: "succeeded" });
    const rest = await open(run.id, { "last-event-id": "2.0" });
    await rest.ended;
    expect(rest.messages[0]?.id).toBe("2.1");
  });

  test("ends after the terminal event even if nobody completes the run", async () => {
    const run = await queueRun(server, auth);
    const stream = await open(run.id);
    await report(server, auth, run.id, event(0, { type: "terminal" }));
    await stream.ended;
    expect(sequences(stream.messages)).toEqual([0]);
  });

  test("delivers every event once, in order, while events are written as fast as possible", async () => {
    const run = await queueRun(server, auth);
    const readers = await Promise.all([open(run.id), open(run.id), open(run.id)]);
    for (let n = 0; n < 200; n++) await report(server, auth, run.id, event(n));
    await complete(server, auth, run.id, { attempt: 1, status: "succeeded" });
    const all = Array.from({ length: 200 }, (_, n) => n);
    for (const reader of readers) {
      await reader.ended;
      expect(sequences(reader.messages)).toEqual(all);
    }
  });

  test("gives 404 for the private run of another member, and ends when the member is removed", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const colleague = await joinWorkspace(server, acme, "member");
    const run = await queueRun(server, member.auth);
    expect((await open(run.id, colleague.auth)).status).toBe(404);
    const stream = await open(run.id, member.auth);
    await stream.find(({ event }) => event === "run");
    const { db, bus } = server.platform;
    await db.run(sql`delete from members where id = ${member.memberId}`);
    await invalidateCallers(bus, db, member.memberId);
    await stream.ended;
  });

  test("ends when the reader loses a permission, and when the reader moves to another organization", async () => {
    const { db, bus } = server.platform;
    const run = await queueRun(server, auth);
    const watch = async (headers: Auth) => {
      const stream = await open(run.id, headers);
      await stream.find(({ event }) => event === "run");
      return stream;
    };
    const demoted = await joinWorkspace(server, acme, "admin");
    const first = await watch(demoted.auth);
    await db.run(sql`update members set role = 'member' where id = ${demoted.memberId}`);
    await invalidateCallers(bus, db, demoted.memberId);
    await first.ended;

    const moved = await joinWorkspace(server, acme, "admin");
    const second = await watch(moved.auth);
    const globex = await createWorkspace(server, "Globex");
    await db.run(sql`delete from members where id = ${moved.memberId}`);
    await db.run(sql`insert into members (id, org_id, user_id, role)
      values (${newId("mem")}, ${globex.orgId}, ${moved.userId}, 'admin')`);
    await invalidateCallers(bus, db, moved.memberId);
    await second.ended;
  });
});

test("a stream at one replica gets the events that were reported at another", async () => {
  const database = await createDatabase();
  if (database.kind === "pglite") return;
  const [one, other] = [await startServer(database), await startServer(database)];
  const { auth } = (await createWorkspace(one)).owner;
  const run = await queueRun(one, auth);
  await report(one, auth, run.id, event(0));
  const stream = await openSse(`${other.url}/v1/automation-runs/${run.id}/stream`, auth);
  await stream.find(({ id }) => id === "0");
  for (let n = 1; n < 4; n++) {
    const started = performance.now();
    await report(one, auth, run.id, event(n));
    await stream.find(({ id }) => id === String(n));
    expect(performance.now() - started).toBeLessThan(1_500);
  }
  await complete(one, auth, run.id, { attempt: 1, status: "succeeded" });
  await stream.ended;
  expect(sequences(stream.messages)).toEqual([0, 1, 2, 3]);
  await Promise.all([one.close(), other.close()]);
  await database.drop();
});
