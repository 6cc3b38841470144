import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Bus } from "../bus.ts";
import type { Caller, Membership } from "../context.ts";
import type { Refusal } from "../errors.ts";
import { createLocalLimits } from "../limits/index.ts";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { invalidateCallers } from "./authenticate.ts";
import type { Message, Source } from "./event-stream.ts";
import { createEventStreams, type StreamOwner } from "./event-streams.ts";

function createBus() {
  const listeners = new Set<Parameters<Bus["subscribe"]>[1]>();
  const bus: Bus = {
    publish: async (_db, _topic, ...payloads) => {
      for (const payload of payloads) for (const listener of listeners) listener.onMessage(payload);
    },
    send: async () => {},
    subscribe: (_topic, listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isUp: () => true,
    close: async () => {},
  };
  const gap = () => {
    for (const listener of listeners) listener.onGap();
  };
  return { bus, gap };
}

const streamLimits = { credential: 3, organization: 6, network: 2, process: 20 };

function createRegistry({ heartbeatMs = 50 } = {}) {
  const { bus, gap } = createBus();
  const closing = new AbortController();
  const log = createLog("silent");
  const limits = createLocalLimits(createMetrics());
  const streams = createEventStreams({
    bus,
    log,
    limits,
    closing: closing.signal,
    heartbeatMs,
    streamLimits,
  });
  return { bus, gap, closing, streams };
}

const caller = (credentialId: string, orgId = "org_1"): Caller => ({
  credential: "key",
  credentialId,
  principal: "member",
  userId: "usr_1",
  member: { id: `mem_${orgId}`, orgId } as unknown as Membership,
});

function owner(who: Caller | undefined, more: Partial<StreamOwner> = {}): StreamOwner {
  return {
    caller: who,
    network: "192.0.2.1",
    credentialKey: who?.credentialId ?? "",
    authenticate: async () => who,
    authorize: () => {},
    ...more,
  };
}

const talk = (everyMs: number, onMessage: (n: number) => void): Source =>
  async function* (signal): AsyncGenerator<Message> {
    for (let n = 0; !signal.aborted; n++) {
      onMessage(n);
      yield { data: n };
      await pause(everyMs);
    }
  };

/** Sends nothing until it ends. */
const silent: Source = async function* (signal): AsyncGenerator<Message> {
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
};

async function refusal(open: () => Promise<Response>): Promise<Refusal> {
  try {
    void (await open()).body?.cancel();
  } catch (error) {
    return error as Refusal;
  }
  throw new Error("The stream was opened.");
}

describe("a stream", () => {
  test.each([
    ["always sending", 2],
    ["almost always silent", 120],
  ])(
    "that is %s ends when its credential expires",
    async (_how, everyMs) => {
      const { streams } = createRegistry();
      let sent = 0;
      const authenticate = async () => {
        if (sent >= 3) throw new Error("expired");
        return caller("key_1");
      };
      const source = talk(everyMs, (n) => {
        sent = n;
      });
      const text = await (await streams.open(owner(caller("key_1"), { authenticate }), source)).text();
      expect(text).toContain("data: 1\n");
    },
    5_000,
  );

  test("without messages sends heartbeats, and ends when the server stops", async () => {
    const { streams, closing } = createRegistry();
    setTimeout(() => closing.abort(), 400);
    const text = await (await streams.open(owner(caller("key_1")), silent)).text();
    expect(text.split(": still here\n\n").length).toBeGreaterThan(2);
  });

  test("sends bytes unchanged", async () => {
    const { streams } = createRegistry();
    const source: Source = async function* () {
      yield Buffer.from("data: encoded before\n\n");
      yield { id: "7", event: "note", data: { a: 1 } };
    };
    const text = await (await streams.open(owner(caller("key_1")), source)).text();
    expect(text).toBe('retry: 2000\n\ndata: encoded before\n\nid: 7\nevent: note\ndata: {"a":1}\n\n');
  });
});

describe("streams of one credential", () => {
  test("are checked with one lookup, and authorized one by one", async () => {
    const { streams, bus } = createRegistry({ heartbeatMs: 60_000 });
    let lookups = 0;
    const authenticate = async () => {
      lookups++;
      return caller("key_1");
    };
    const refused = owner(caller("key_1"), {
      authenticate,
      authorize: () => {
        throw new Error("no longer");
      },
    });
    const stays = await streams.open(owner(caller("key_1"), { authenticate }), silent);
    const reader = stays.body!.getReader();
    await reader.read();
    const ends = [(await streams.open(refused, silent)).text(), (await streams.open(refused, silent)).text()];
    await invalidateCallers(bus, undefined as never, "key_other");
    await pause(20);
    expect(lookups).toBe(0);
    await invalidateCallers(bus, undefined as never, "key_1");
    await Promise.all(ends);
    expect(lookups).toBe(1);
    const next = reader.read().then(() => "something");
    expect(await Promise.race([next, pause(100, "nothing")])).toBe("nothing");
    await reader.cancel();
  });

  test("are checked again when a change is announced during a check", async () => {
    const { streams, bus } = createRegistry({ heartbeatMs: 60_000 });
    const lookups: PromiseWithResolvers<Caller | undefined>[] = [];
    const authenticate = () => {
      lookups.push(Promise.withResolvers());
      return lookups.at(-1)!.promise;
    };
    const authorize = (now: Caller | undefined) => {
      if (!now) throw new Error("gone");
    };
    const text = (await streams.open(owner(caller("key_1"), { authenticate, authorize }), silent)).text();
    await invalidateCallers(bus, undefined as never, "key_1");
    await pause(10);
    await invalidateCallers(bus, undefined as never, "key_1");
    lookups[0]!.resolve(caller("key_1"));
    await expect.poll(() => lookups.length).toBe(2);
    lookups[1]!.resolve(undefined);
    await text;
  });

  test("are checked when announcements may have been lost", async () => {
    const { streams, gap } = createRegistry({ heartbeatMs: 60_000 });
    const authenticate = () => Promise.reject(new Error("revoked"));
    const text = (await streams.open(owner(caller("key_1"), { authenticate }), silent)).text();
    gap();
    await text;
  });
});

describe("how many may be open", () => {
  test("is limited per credential; a stream that ends makes room", async () => {
    const { streams } = createRegistry();
    const open = (id: string) => streams.open(owner(caller(id, "org_1")), silent);
    const opened = [await open("key_1"), await open("key_1"), await open("key_1")];
    const refused = await refusal(() => open("key_1"));
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(refused.message).toMatch(/^This credential has 3 streams open/);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    await open("key_2");
    await opened[0]!.body!.cancel();
    await open("key_1");
    expect((await refusal(() => open("key_1"))).status).toBe(429);
  });

  test("is limited per organization, whichever credentials it uses", async () => {
    const { streams } = createRegistry();
    const open = (id: string, orgId: string) => streams.open(owner(caller(id, orgId)), silent);
    for (let i = 0; i < 6; i++) await open(`key_${i}`, "org_1");
    expect((await refusal(() => open("key_more", "org_1"))).message).toMatch(
      /^This organization has 6 streams/,
    );
    await open("key_more", "org_2");
  });

  test("is refused with the number of open streams when the process is nearly full", async () => {
    const { streams } = createRegistry();
    const open = (id: string, orgId: string) => streams.open(owner(caller(id, orgId)), silent);
    for (let i = 0; i < 6; i++) await open(`key_${i}`, "org_1");
    for (let i = 0; i < 10; i++) await open(`key_${i}`, `org_other_${i}`);
    expect((await refusal(() => open("key_more", "org_1"))).message).toMatch(
      /^This organization has 6 streams open, and the limit is 4\. /,
    );
  });

  test("is limited per network for callers without an organization", async () => {
    const { streams } = createRegistry();
    const open = (id: string, network: string) =>
      streams.open(
        owner({ credential: "session", credentialId: id, principal: "person", userId: "usr_1" }, { network }),
        silent,
      );
    await open("ses_1", "192.0.2.1");
    await open("ses_2", "192.0.2.1");
    expect((await refusal(() => open("ses_3", "192.0.2.1"))).message).toMatch(/^This network has 2 streams/);
    await open("ses_3", "192.0.2.2");
  });

  test("is limited so that new organizations get a place, and is refused with 503 when the process has none", async () => {
    const { streams } = createRegistry();
    const open = (orgId: string, i: number) => streams.open(owner(caller(`${orgId}_${i}`, orgId)), silent);
    for (const orgId of ["org_1", "org_2", "org_3", "org_4"]) {
      for (let i = 0; i < 6; i++) {
        try {
          await open(orgId, i);
        } catch {}
      }
    }
    await open("org_new", 0);
    for (let n = 0; n < 20; n++) {
      try {
        await open(`org_late_${n}`, 0);
      } catch {}
    }
    const full = await refusal(() => open("org_last", 0));
    expect(full).toMatchObject({ status: 503, body: { error: "service_unavailable" } });
    expect(Number(full.headers["retry-after"])).toBeGreaterThan(0);
  });
});
