import type { Platform } from "../../platform/context.ts";
import { prune } from "./deliveries/jobs.ts";
import { routes as deliveries } from "./deliveries/routes.ts";
import { routes as ingress } from "./ingress/index.ts";
import { refusalLogOf, routes as refused } from "./refused/index.ts";

export const routes = [...ingress, ...deliveries, ...refused];
export const jobs = [prune];

/** Creates the log of refused deliveries of this process. The returned function writes the rest at shutdown. */
export function start(platform: Pick<Platform, "bus" | "db" | "log" | "metrics">): () => Promise<void> {
  platform.metrics.describe(
    "webhook_deliveries_refused_total",
    "Deliveries whose signature was refused, by scope and reason.",
  );
  const log = refusalLogOf(platform);
  return () => log.flush();
}
