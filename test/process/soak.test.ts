/** The short form of `npm run test:soak`. It asserts no timing and no memory: seconds are too short for both. */
import { afterAll, expect, test } from "vitest";
import { createLoad } from "../soak/load.ts";
import { judgeSoak, measurePeak, slopePerHour, soak, type Window } from "../soak/soak.ts";
import { cleanUp, freshFolder, serve } from "./kit.ts";
import { webhookSecret } from "./webhook-deliveries.ts";

afterAll(cleanUp);

test("an instance under steady load answers every request and logs no error", {
  timeout: 180_000,
}, async () => {
  const server = await serve(freshFolder(), {
    SIGNALBOX_SECRET: "a secret for the soak test, long enough",
    CODEHOST_WEBHOOK_SECRET: webhookSecret,
    LOG_LEVEL: "error",
  });
  const works = await createLoad(server.url);
  const peak = await measurePeak(works, 2, 8);
  const result = await soak({ works, pid: server.pid, peak, seconds: 8, windowSeconds: 1 });
  expect(result.failures).toEqual({});
  expect(result.windows).toHaveLength(8);
  expect(result.windows.reduce((sum, { requests }) => sum + requests, 0)).toBeGreaterThan(10);
  expect(server.output.stderr).toBe("");
  expect(await server.end("SIGTERM")).toBe(0);
});

test("growing memory, a rising p99 and failures are found", () => {
  const windows = (read: (at: number) => Partial<Window>) =>
    Array.from({ length: 60 }, (_, i) => ({
      ...{ at: i * 60, requests: 100, failed: 0, p50: 1, p99: 10, memory: 200 },
      ...read(i),
    }));
  const judge = (list: Window[], failures = {}) =>
    judgeSoak({ peak: 1, rate: 1, windows: list, failures }).map(({ problem }) => problem !== undefined);
  expect(judge(windows(() => ({})))).toEqual([false, false, false]);
  expect(judge(windows((i) => ({ memory: 200 + i * 3 })))).toEqual([false, true, false]);
  expect(judge(windows((i) => ({ p99: i > 50 ? 90 : 10 })))).toEqual([false, false, true]);
  expect(
    judge(
      windows(() => ({})),
      { "event: 500": 1 },
    ),
  ).toEqual([true, false, false]);
  expect(
    slopePerHour(
      windows((i) => ({ memory: i })),
      ({ memory }) => memory,
    ),
  ).toBeCloseTo(60);
});
