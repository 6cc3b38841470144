import type { EgressGateway } from "@signalbox/discovery/egress";
import type { Bus } from "../src/platform/bus.ts";
import type { ProcessState } from "../src/platform/context.ts";
import { createLocalLimits, createQueues } from "../src/platform/limits/index.ts";
import { createMetrics } from "../src/platform/metrics.ts";
import { createState } from "../src/platform/state.ts";

/** The parts of a platform that sessions with MCP servers need, without a database. */
export function createUpstreamPlatform(egress: EgressGateway): {
  egress: EgressGateway;
  state: ProcessState;
} {
  const metrics = createMetrics();
  const bus: Pick<Bus, "subscribe"> = { subscribe: () => () => {} };
  const limits = createLocalLimits(metrics);
  const parts = { egress, metrics, bus, limits, queues: createQueues(limits, limits) };
  const state = createState(() => ({ ...parts, state }) as never);
  return { egress, state };
}
