import { computePause } from "@signalbox/flow-control";
import { defineState } from "../../../platform/state.ts";

const failuresToOpen = 5;
const pauses = { firstMs: 10_000, maxMs: 300_000, jitter: 0.1 };
/** A server without calls for so long starts anew. */
const forgetMs = 30 * 60_000;

interface Health {
  failures: number;
  /** How often the breaker opened since the last success. */
  openings: number;
  openUntil: number;
  /** One call tries the server after a pause. */
  isTrying: boolean;
  usedAt: number;
}

/** Stops calls to a server that fails again and again, so that callers learn it at once and the server can recover. */
export interface Breaker {
  /** Returns the milliseconds until the next try, or undefined when the call may be sent. */
  findPause(connectionId: string, now?: number): number | undefined;
  /** Every call that was allowed reports how it ended. `undefined`: it says nothing about the server. */
  report(connectionId: string, worked: boolean | undefined, now?: number): void;
  /** How many servers are not called at the moment. */
  countOpen(now?: number): number;
}

export const callBreaker = defineState({
  name: "circuit breaker of MCP connections",
  create: ({ metrics }) => {
    const breaker = createBreaker();
    metrics.describe(
      "mcp_breakers_open",
      "MCP connections that this process does not call, because they fail.",
    );
    metrics.gauge("mcp_breakers_open", () => breaker.countOpen(), "max");
    return breaker;
  },
});

export function createBreaker(): Breaker {
  /** Only servers with failures. */
  const states = new Map<string, Health>();
  return {
    findPause(id, now = performance.now()) {
      const health = states.get(id);
      if (!health || health.openUntil === 0) return undefined;
      if (now >= health.openUntil && !health.isTrying) {
        health.isTrying = true;
        return undefined;
      }
      // While one call tries the server, the others wait for its outcome.
      return Math.max(1_000, health.openUntil - now);
    },
    report(id, worked, now = performance.now()) {
      const health = states.get(id);
      if (worked) return void states.delete(id);
      if (worked === undefined) {
        if (health) health.isTrying = false;
        return;
      }
      for (const [other, { usedAt }] of states) if (now - usedAt > forgetMs) states.delete(other);
      const next = health ?? { failures: 0, openings: 0, openUntil: 0, isTrying: false, usedAt: now };
      states.set(id, next);
      next.usedAt = now;
      next.failures += 1;
      const wasTry = next.isTrying;
      next.isTrying = false;
      // Calls that were sent before the breaker opened do not make the pause longer.
      if (next.openUntil === 0 ? next.failures < failuresToOpen : !wasTry) return;
      next.openings += 1;
      next.openUntil = now + computePause(next.openings, pauses);
    },
    countOpen(now = performance.now()) {
      let count = 0;
      for (const { openUntil } of states.values()) if (openUntil > now) count += 1;
      return count;
    },
  };
}
