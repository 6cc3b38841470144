import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createLog } from "../log.ts";
import { eventStream, type Message, type StreamTerms } from "./event-stream.ts";

const terms = (recheck: () => Promise<void>): StreamTerms => ({
  bus: undefined as never,
  log: createLog("silent"),
  caller: undefined,
  closing: new AbortController().signal,
  heartbeatMs: 50,
  recheck,
});

async function* talk(everyMs: number, signal: AbortSignal): AsyncGenerator<Message> {
  for (let n = 0; !signal.aborted; n++) {
    yield { data: n };
    await pause(everyMs);
  }
}

test.each([
  ["never quiet", 2],
  ["nearly always quiet", 120],
])(
  "a stream that is %s ends with a credential whose time is over",
  async (_how, everyMs) => {
    const endsAt = performance.now() + 200;
    const recheck = async () => {
      if (performance.now() > endsAt) throw new Error("expired");
    };
    const text = await eventStream(terms(recheck), (signal) => talk(everyMs, signal)).text();
    expect(performance.now() - endsAt).toBeLessThan(2_000);
    expect(text).toContain("data: 1\n");
  },
  5_000,
);
