import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { RefusedError, UnreachableError } from "@signalbox/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRunnerApi } from "./api.ts";
import { deliver, takeBatch } from "./delivery.ts";
import { beginJournal, type Journal, openJournal, replay, type Storage } from "./journal.ts";
import { createInterruptedCompletion, createTerminalEvent } from "./outcome.ts";
import type { Event } from "./output.ts";
import { createOutputRecorder } from "./output-recorder.ts";
import type { Completion } from "./replies.ts";

const begin = { instance: "i", runId: "run_1", attempt: 1, automationName: "Triage", startedAt: 5 };

interface File {
  bytes: Buffer;
  synced: number;
  /** Its process is dead: whoever still writes is a ghost. */
  dead: boolean;
  storage: Storage;
}

function createFile(bytes: Buffer = Buffer.alloc(0)): File {
  const alive = () => {
    if (file.dead) throw new Error("dead");
  };
  const file: File = {
    bytes,
    synced: bytes.length,
    dead: false,
    storage: {
      append(text) {
        alive();
        file.bytes = Buffer.concat([file.bytes, Buffer.from(text)]);
      },
      async sync() {
        await Promise.resolve();
        alive();
        file.synced = file.bytes.length;
      },
      read: () => file.bytes,
    },
  };
  return file;
}

/** What the server promises, and a way to make it fail. Throws when a number is used for two events. */
function createServer(chances: () => "fine" | "unheard" | "unanswered") {
  const stored: string[] = [];
  let completed: string | undefined;
  const store = (events: readonly string[]) => {
    for (const json of events) {
      const { sequence } = JSON.parse(json);
      if (sequence < stored.length) expect(stored[sequence]).toBe(json);
      else if (sequence > stored.length) {
        throw new RefusedError(409, {
          error: "automation_runner_event_sequence_gap",
          expected: stored.length,
        });
      } else {
        expect(completed).toBeUndefined();
        stored.push(json);
      }
    }
  };
  const answer = async (work: () => void) => {
    await Promise.resolve();
    const chance = chances();
    if (chance === "unheard") throw new UnreachableError("", "unheard");
    work();
    if (chance === "unanswered") throw new UnreachableError("", "unanswered");
  };
  return {
    stored,
    completion: () => completed,
    sendEvents: (_: string, events: readonly string[]) => answer(() => store(events)),
    complete: (_: string, completion: Completion) =>
      answer(() => {
        completed ??= JSON.stringify(completion);
        expect(completed).toBe(JSON.stringify(completion));
      }),
  };
}

const atOnce = {
  lingerMs: 0,
  backoff: { wait: () => new Promise<void>((done) => setImmediate(done)), reset() {} },
};
const event = (text: string): Event => ({ type: "assistant", payload: { text } });

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ say: fc.array(fc.string(), { minLength: 1, maxLength: 5 }) }) },
  { weight: 3, arbitrary: fc.record({ turns: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.constant({ end: true as const }) },
);
const crash = fc.record({
  /** Which part of what was not synced survives. */
  survives: fc.double({ min: 0, max: 1, noNaN: true }),
  isPowerCut: fc.boolean(),
  garbage: fc.uint8Array({ maxLength: 40 }),
});

describe("the journal", () => {
  test("after a crash at any point, the server gets every sequence number once and keeps its stored events", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 20 }),
        fc.array(crash, { minLength: 1, maxLength: 3 }),
        fc.infiniteStream(fc.constantFrom("fine", "fine", "unheard", "unanswered") as fc.Arbitrary<"fine">),
        async (history, crashes, chances) => {
          const server = createServer(() => chances.next().value);
          let file = createFile();
          let journal = beginJournal(file.storage, begin);
          await journal.sync();
          let said = 0;
          const life = new AbortController();
          let delivery = deliver(journal, server, life.signal, atOnce);
          for (const one of history) {
            if ("say" in one && !journal.completion) {
              said += one.say.length;
              journal.add(one.say.map(event), Date.now());
            } else if ("turns" in one) {
              for (let i = 0; i < one.turns; i++) await new Promise((done) => setImmediate(done));
            } else if (!journal.completion) end(journal, "succeeded");
            delivery.wake();
          }
          life.abort();
          for (const { survives, isPowerCut, garbage } of crashes) {
            const had = [...server.stored];
            file.dead = true;
            // A request that was on its way may still arrive.
            await delivery.result.catch(() => {});
            const least = isPowerCut ? file.synced : file.bytes.length;
            const length = least + Math.floor((file.bytes.length - least) * survives);
            file = createFile(
              Buffer.concat([file.bytes.subarray(0, length), isPowerCut ? garbage : Buffer.alloc(0)]),
            );
            const found = replay(file.bytes);
            expect(found.events.length).toBeGreaterThanOrEqual(server.stored.length);
            if (!isPowerCut) expect(found.events.length).toBe(journal.count);
            expect(found.validBytes).toBeLessThanOrEqual(length + garbage.length);
            file.bytes = file.bytes.subarray(0, found.validBytes);
            journal = openJournal(file.storage, found)!;
            if (!journal.completion) end(journal, "failed");
            const next = new AbortController();
            delivery = deliver(journal, server, next.signal, atOnce);
            if (garbage.length % 2) next.abort();
            expect(server.stored.slice(0, had.length)).toEqual(had);
          }
          file.dead = true;
          await delivery.result.catch(() => {});
          file = createFile(file.bytes);
          journal = openJournal(file.storage, replay(file.bytes))!;
          if (!journal.completion) end(journal, "failed");
          expect(await deliver(journal, server, new AbortController().signal, atOnce).result).toEqual({
            status: "delivered",
          });
          expect(server.stored.map((json) => JSON.parse(json).sequence)).toEqual(
            server.stored.map((_, i) => i),
          );
          expect(server.stored.length).toBeLessThanOrEqual(said + 1);
          expect(JSON.parse(server.stored.at(-1)!).type).toBe("terminal");
          expect(server.completion()).toBe(JSON.stringify(journal.completion));
        },
      ),
      { numRuns: 500 },
    );
  });

  const end = (journal: Journal, status: Completion["status"]) => {
    const completion = { ...createInterruptedCompletion(1), status };
    journal.end(createTerminalEvent(completion), completion, Date.now());
  };

  test("a journal that is cut at any byte still yields its complete lines", () => {
    const file = createFile();
    const journal = beginJournal(file.storage, begin);
    journal.add([event("é"), { type: "usage", payload: { inputTokens: 3 } }], 1);
    journal.acknowledge(0);
    end(journal, "succeeded");
    const starts = [...file.bytes.keys()].filter((i) => file.bytes[i] === 10);
    for (let length = 0; length <= file.bytes.length; length++) {
      const lines = starts.filter((newline) => newline < length).length;
      const found = replay(file.bytes.subarray(0, length));
      expect(found.begin !== undefined).toBe(lines >= 1);
      expect(found.events.length).toBe([0, 0, 1, 2, 2, 3][lines]);
      expect(found.acknowledged).toBe(lines >= 4 ? 0 : -1);
      expect(found.completion !== undefined).toBe(lines >= 5);
      expect(found.usage.inputTokens).toBe(lines >= 3 ? 3 : 0);
    }
  });

  test("a journal with a flipped bit ends before the damaged line", () => {
    const file = createFile();
    const journal = beginJournal(file.storage, begin);
    journal.add([event("one"), event("two"), event("three")], 1);
    fc.assert(
      fc.property(fc.nat(file.bytes.length - 1), fc.nat(7), (at, bit) => {
        const bytes = Buffer.from(file.bytes);
        bytes[at]! ^= 1 << bit;
        const found = replay(bytes);
        expect(found.validBytes).toBeLessThanOrEqual(at);
        expect(found.events.map(({ sequence }) => sequence)).toEqual(found.events.map((_, i) => i));
      }),
    );
  });

  test("a server that was restored from a backup gets the lost events from the journal", async () => {
    const file = createFile();
    const journal = beginJournal(file.storage, begin);
    const server = createServer(() => "fine");
    const delivery = deliver(journal, server, new AbortController().signal, atOnce);
    journal.add(["a", "b", "c", "d"].map(event), 1);
    delivery.wake();
    while (journal.pending.length > 0) await new Promise((done) => setImmediate(done));
    server.stored.length = 1;
    end(journal, "succeeded");
    delivery.wake();
    expect(await delivery.result).toEqual({ status: "delivered" });
    expect(server.stored.map((json) => JSON.parse(json).sequence)).toEqual([0, 1, 2, 3, 4]);
  });
});

describe("delivery", () => {
  test("sends batches within their limits, in order, without leaving events out", () => {
    const sizes = fc.array(fc.nat(600), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        sizes,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 900 }),
        (list, events, bytes) => {
          let rest = list.map((size, sequence) => ({ sequence, json: "x".repeat(size) }));
          const all = [...rest];
          const sent: typeof rest = [];
          while (rest.length > 0) {
            const batch = takeBatch(rest, { events, bytes });
            expect(batch.length).toBeGreaterThan(0);
            expect(batch.length).toBeLessThanOrEqual(events);
            const size = batch.reduce((sum, { json }) => sum + json.length + 1, 0);
            if (batch.length > 1) expect(size).toBeLessThanOrEqual(bytes);
            sent.push(...batch);
            rest = rest.slice(batch.length);
          }
          expect(sent).toEqual(all);
        },
      ),
    );
  });

  test("makes a program wait while the server does not answer, and lets it continue afterwards", async () => {
    const journal = beginJournal(createFile().storage, begin);
    let isDown = true;
    const server = createServer(() => (isDown ? "unheard" : "fine"));
    const stop = new AbortController();
    const delivery = deliver(journal, server, stop.signal, atOnce);
    for (let i = 0; i < 20; i++)
      journal.add(
        Array.from({ length: 100 }, () => event("x")),
        1,
      );
    delivery.wake();
    let hasRoom = false;
    const space = delivery.waitForSpace().then(() => {
      hasRoom = true;
    });
    for (let i = 0; i < 20; i++) await new Promise((done) => setImmediate(done));
    expect(hasRoom).toBe(false);
    isDown = false;
    await space;
    expect(journal.pending.length).toBeLessThan(2_000);
    stop.abort();
    await delivery.result;
  });

  test("sends smaller batches when a proxy refuses large ones, and ends when the lease is lost", async () => {
    const journal = beginJournal(createFile().storage, begin);
    journal.add(
      Array.from({ length: 100 }, () => event("x")),
      1,
    );
    const sizes: number[] = [];
    const server = {
      async sendEvents(_: string, events: readonly string[]) {
        sizes.push(events.length);
        if (events.length > 30) throw new RefusedError(413, { error: "payload_too_large" });
        if (sizes.length > 5) throw new RefusedError(409, { error: "runner_lease_lost", message: "gone" });
      },
      complete: async () => {},
    };
    const delivery = deliver(journal, server, new AbortController().signal, atOnce);
    expect(await delivery.result).toMatchObject({ status: "lost", refusal: { code: "runner_lease_lost" } });
    expect(sizes).toEqual([100, 50, 25, 25, 25, 25]);
  });

  test("sends smaller batches over a connection that is too slow for large ones", async () => {
    const journal = beginJournal(createFile().storage, begin);
    journal.add(
      Array.from({ length: 80 }, () => event("x".repeat(10_000))),
      1,
    );
    const stored: number[] = [];
    const sizes: number[] = [];
    const server = createHttpServer(async (request, response) => {
      const reply = (body: object) => response.end(JSON.stringify(body));
      if (request.url!.endsWith("/token"))
        return reply({ token: "t", expiresAt: Date.now() + 1e8, eventsPath: "/e" });
      const { events = [] } = JSON.parse(await text(request)) as { events?: { sequence: number }[] };
      sizes.push(events.length);
      // As the server answers when a body arrives too slowly.
      if (events.length > 25) return response.writeHead(408) && reply({ error: "request_timeout" });
      stored.push(...events.map(({ sequence }) => sequence));
      reply({ run: {} });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const info = {
      runnerId: "runner-one",
      platform: "p",
      version: "1",
      concurrency: 1,
      serves: "own",
    } as const;
    const halt = new AbortController();
    const api = createRunnerApi(`http://127.0.0.1:${port}`, "sbx_key", info, halt.signal);
    const completion = createInterruptedCompletion(1);
    journal.end(createTerminalEvent(completion), completion, 1);
    expect(await deliver(journal, api, halt.signal, atOnce).result).toEqual({ status: "delivered" });
    expect(stored).toEqual(Array.from({ length: 81 }, (_, i) => i));
    expect(sizes.slice(0, 3)).toEqual([81, 40, 20]);
    server.close().closeAllConnections();
  });
});

test("when the organization's storage is full, remaining events are dropped and the completion is sent", async () => {
  const file = createFile();
  const journal = beginJournal(file.storage, begin);
  const sent: string[] = [];
  let completed: unknown;
  const server = {
    async sendEvents(_: string, events: readonly string[]) {
      if (sent.length >= 1) throw new RefusedError(409, { error: "quota_exceeded", message: "It is full." });
      sent.push(...events);
      return undefined as never;
    },
    async complete(_: string, completion: Completion) {
      completed = completion;
      return undefined as never;
    },
  };
  const delivery = deliver(journal, server, new AbortController().signal, atOnce);
  journal.add([event("first")], 1);
  delivery.wake();
  while (journal.pending.length > 0) await new Promise((done) => setImmediate(done));
  journal.add(["b", "c", "d"].map(event), 1);
  const completion = { ...createInterruptedCompletion(1), status: "succeeded" as const };
  journal.end(createTerminalEvent(completion), completion, 2);
  delivery.wake();
  expect(await delivery.result).toEqual({ status: "delivered" });
  expect(sent).toHaveLength(1);
  expect(completed).toMatchObject({ status: "succeeded" });
});

test("counts usage as the server does, also when a program counts the tokens of caches apart", () => {
  const file = createFile();
  const journal = beginJournal(file.storage, begin);
  const recorder = createOutputRecorder(journal, () => {});
  const counters = { input_tokens: 10, cache_read_input_tokens: 500, cache_creation_input_tokens: 90 };
  recorder.onStdout([{ text: JSON.stringify({ type: "usage", ...counters, cost_usd: 0.5 }) }]);
  const counted = { inputTokens: 600, outputTokens: 0, costMicros: 500_000 };
  const usage = { ...counted, cacheReadTokens: 500, cacheWriteTokens: 90 };
  expect(JSON.parse(journal.pending[0]!.json).payload).toMatchObject(usage);
  expect(journal.usage).toEqual(usage);
  expect(replay(file.bytes).usage).toEqual(usage);
});

describe("usage of events that were dropped because the storage is full", () => {
  const usageEvent = (inputTokens: number): Event => ({
    type: "usage",
    payload: { inputTokens, costMicros: 5 },
  });
  const full = () => new RefusedError(409, { error: "quota_exceeded", message: "It is full." });
  const succeeded = { ...createInterruptedCompletion(1), status: "succeeded" as const };

  /** Stores events until it is full, and remembers the completion. */
  function createFullServer(room: { events: number }) {
    const stored: string[] = [];
    const completions: Completion[] = [];
    return {
      stored,
      completions,
      async sendEvents(_: string, events: readonly string[]) {
        const { sequence } = JSON.parse(events[0]!);
        if (sequence > stored.length)
          throw new RefusedError(409, {
            error: "automation_runner_event_sequence_gap",
            expected: stored.length,
          });
        const isNew = (json: string) => JSON.parse(json).sequence >= stored.length;
        if (sequence + events.length > room.events && events.some(isNew))
          throw new RefusedError(409, { ...full().body, index: events.findIndex(isNew) });
        stored.splice(sequence, Number.POSITIVE_INFINITY, ...events);
      },
      async complete(_: string, completion: Completion) {
        completions.push(completion);
      },
    };
  }

  async function deliverAll(journal: Journal, server: ReturnType<typeof createFullServer>) {
    const delivery = deliver(journal, server, new AbortController().signal, atOnce);
    expect(await delivery.result).toEqual({ status: "delivered" });
  }

  test("is in the completion, and in the same completion after a crash", async () => {
    const file = createFile();
    const journal = beginJournal(file.storage, begin);
    const server = createFullServer({ events: 1 });
    journal.add([usageEvent(100)], 1);
    const stop = new AbortController();
    const delivery = deliver(journal, server, stop.signal, atOnce);
    while (journal.pending.length > 0) await new Promise((done) => setImmediate(done));
    stop.abort();
    await delivery.result;
    journal.add([usageEvent(20), event("x"), usageEvent(3)], 1);
    journal.end(createTerminalEvent(succeeded), succeeded, 2);
    await deliverAll(journal, server);
    await deliverAll(openJournal(file.storage, replay(file.bytes))!, server);
    const usage = { inputTokens: 23, outputTokens: 0, costMicros: 10 };
    expect(server.completions).toEqual([
      { ...succeeded, usage },
      { ...succeeded, usage },
    ]);
  });

  test("is added to what the completion has already", async () => {
    const journal = beginJournal(createFile().storage, begin);
    const server = createFullServer({ events: 0 });
    journal.add([usageEvent(20)], 1);
    const rest = { inputTokens: 1, outputTokens: 2, costMicros: 3 };
    journal.end(createTerminalEvent(succeeded), { ...succeeded, usage: rest }, 2);
    await deliverAll(journal, server);
    expect(server.completions[0]!.usage).toEqual({ inputTokens: 21, outputTokens: 2, costMicros: 8 });
  });

  test("is not in the completion when a process ended after the server had stored the events after all", async () => {
    const file = createFile();
    const room = { events: 0 };
    const server = createFullServer(room);
    const run = async (journal: Journal, isOver: () => boolean) => {
      const stop = new AbortController();
      const sendEvents = async (id: string, events: readonly string[]) => {
        await server.sendEvents(id, events);
        stop.abort();
        throw new UnreachableError("http://localhost", "The reply was lost.");
      };
      const delivery = deliver(journal, { ...server, sendEvents }, stop.signal, atOnce);
      while (!isOver()) await new Promise((done) => setImmediate(done));
      stop.abort();
      await delivery.result;
    };
    const first = beginJournal(file.storage, begin);
    first.add([usageEvent(20)], 1);
    await run(first, () => first.pending.length === 0);
    room.events = 10;
    const second = openJournal(file.storage, replay(file.bytes))!;
    second.add([usageEvent(1)], 2);
    second.end(createTerminalEvent(succeeded), succeeded, 2);
    await run(second, () => server.stored.length === 3);
    await deliverAll(openJournal(file.storage, replay(file.bytes))!, server);
    expect(server.completions).toEqual([succeeded]);
  });

  test("is the same after a crash when some of the dropped events could be sent", () => {
    const file = createFile();
    const journal = beginJournal(file.storage, begin);
    journal.add([usageEvent(100), usageEvent(20), usageEvent(3)], 1);
    journal.drop();
    journal.rewind(0);
    journal.acknowledge(0);
    journal.drop();
    expect(journal.droppedUsage).toMatchObject({ inputTokens: 23, costMicros: 10 });
    const opened = openJournal(file.storage, replay(file.bytes))!;
    expect(opened.droppedUsage).toEqual(journal.droppedUsage);
    expect(opened.pending).toEqual([]);
  });

  test("does not have the usage of events that the server stored before its reply was lost", async () => {
    const journal = beginJournal(createFile().storage, begin);
    const server = createFullServer({ events: 2 });
    let calls = 0;
    const sendEvents = async (id: string, events: readonly string[]) => {
      const isFirst = calls++ === 0;
      await server.sendEvents(id, events);
      if (!isFirst) return;
      journal.add([usageEvent(3)], 1);
      journal.end(createTerminalEvent(succeeded), succeeded, 2);
      throw new UnreachableError("http://localhost", "The reply was lost.");
    };
    journal.add([usageEvent(100), usageEvent(20)], 1);
    const delivery = deliver(journal, { ...server, sendEvents }, new AbortController().signal, atOnce);
    expect(await delivery.result).toEqual({ status: "delivered" });
    expect(server.completions[0]!.usage).toEqual({ inputTokens: 3, outputTokens: 0, costMicros: 5 });
  });

  test("is not in the completion when a later process could send the events after all", async () => {
    const file = createFile();
    const journal = beginJournal(file.storage, begin);
    const room = { events: 0 };
    const server = createFullServer(room);
    journal.add([usageEvent(20)], 1);
    const stop = new AbortController();
    const delivery = deliver(journal, server, stop.signal, atOnce);
    while (journal.pending.length > 0) await new Promise((done) => setImmediate(done));
    stop.abort();
    await delivery.result;
    room.events = 10;
    const later = openJournal(file.storage, replay(file.bytes))!;
    later.add([usageEvent(1)], 2);
    later.end(createTerminalEvent(succeeded), succeeded, 2);
    await deliverAll(later, server);
    expect(server.stored).toHaveLength(3);
    expect(server.completions).toEqual([succeeded]);
  });
});
