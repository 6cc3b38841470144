import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Bus } from "./bus.ts";
import type { Engine } from "./db/index.ts";
import type { Metrics } from "./metrics.ts";

const resolutionMs = 20;

/** Measures the process, its database and its bus. */
export function watchPlatform(metrics: Metrics, engine: Engine, bus: Bus): () => void {
  metrics.gauge("process_resident_memory_bytes", () => process.memoryUsage.rss(), "each");
  metrics.gauge("process_uptime_seconds", () => process.uptime(), "each");

  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  metrics.describe(
    "nodejs_eventloop_delay_p99_seconds",
    "How late the event loop was, in 99 of 100 cases, since this was last asked for.",
  );
  const readDelay = () => {
    // The histogram holds the whole pause between two ticks, of which the first part is intended.
    const late = Math.max(0, delay.percentile(99) / 1e9 - resolutionMs / 1000);
    delay.reset();
    return late;
  };
  metrics.gauge("nodejs_eventloop_delay_p99_seconds", readDelay, "each");

  metrics.describe("bus_up", "1 while this process hears of changes that others made, 0 while it does not.");
  metrics.gauge("bus_up", () => Number(bus.isUp()), "each");

  const { pool } = engine;
  if (pool) {
    metrics.describe("database_connections", "Connections of the pool to PostgreSQL.");
    const countConnections = () => {
      const { inUse, idle } = pool();
      return [
        { labels: { state: "in_use" }, value: inUse },
        { labels: { state: "idle" }, value: idle },
      ];
    };
    metrics.gauge("database_connections", countConnections, "sum");
    metrics.describe("database_connections_awaited", "Callers that wait for a connection to be free.");
    metrics.gauge("database_connections_awaited", () => pool().waiting, "sum");
  }
  return () => delay.disable();
}
