import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideNextStep, maxPause, retryPauses } from "./schedule.ts";
import { createSignatureHeaders } from "./signature.ts";

const outcome = fc.record({
  status: fc.option(fc.integer({ min: 100, max: 599 })),
  retryAfterSeconds: fc.option(fc.integer({ min: 0, max: 10_000_000 })),
});
const random = fc.double({ min: 0, max: 1, noNaN: true });

describe("the schedule of a delivery", () => {
  test("covers about a day: at least 20 hours and at most 28", () => {
    const hours = retryPauses.reduce((sum, pause) => sum + pause, 0) / 3600;
    expect(hours).toBeGreaterThan(20);
    expect(hours).toBeLessThan(28);
  });

  test("ends after at most nine attempts, whatever the endpoint answers", () => {
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 9, maxLength: 9 }), random, (outcomes, chance) => {
        let attempts = 0;
        for (const one of outcomes) {
          attempts += 1;
          if (decideNextStep(attempts, one, chance).state !== "pending") break;
        }
        const last = decideNextStep(attempts, outcomes[attempts - 1]!, chance);
        expect(last.state).not.toBe("pending");
      }),
    );
  });

  test("succeeds with a 2xx only, and ends with a 410", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), outcome, random, (tries, one, chance) => {
        const step = decideNextStep(tries, one, chance);
        expect(step.state === "succeeded").toBe(one.status !== null && Math.floor(one.status / 100) === 2);
        if (one.status === 410) expect(step).toEqual({ state: "failed", isGone: true });
        else if (step.state === "failed") expect(step.isGone).toBe(false);
      }),
    );
  });

  test("waits as long as the table says, varied by a tenth, or as long as Retry-After asks, within limits", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), outcome, random, (tries, one, chance) => {
        const step = decideNextStep(tries, one, chance);
        if (step.state !== "pending") return;
        const pause = retryPauses[tries - 1]!;
        expect(step.afterSeconds).toBeGreaterThanOrEqual(0.9 * pause);
        expect(step.afterSeconds).toBeLessThanOrEqual(1.1 * maxPause);
        const asked = Math.min(one.retryAfterSeconds ?? 0, maxPause);
        expect(step.afterSeconds).toBeGreaterThanOrEqual(asked);
        if (asked <= 0.9 * pause) expect(step.afterSeconds).toBeLessThanOrEqual(1.1 * pause);
      }),
    );
  });
});

describe("the signature of an event", () => {
  // A test vector of the Standard Webhooks specification, which its libraries also use.
  const vector = {
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
    signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };

  test("equals the published test vector", () => {
    expect(createSignatureHeaders(vector, [vector.secret])).toEqual({
      "webhook-id": vector.id,
      "webhook-timestamp": "1614265330",
      "webhook-signature": vector.signature,
    });
  });

  test("has one value for each secret, in their order", () => {
    const other = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    const header = createSignatureHeaders(vector, [other, vector.secret])["webhook-signature"]!;
    expect(header.split(" ")).toHaveLength(2);
    expect(header.split(" ")[1]).toBe(vector.signature);
    expect(header.split(" ")[0]).not.toBe(vector.signature);
  });
});
