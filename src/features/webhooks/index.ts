import { defineRoom } from "../../platform/rooms.ts";
import { prune } from "./deliveries/jobs.ts";
import { routes as deliveries } from "./deliveries/routes.ts";
import { routes as ingress } from "./ingress/index.ts";
import { refusalLog, routes as refused } from "./refused/index.ts";

export const room = defineRoom({
  name: "webhooks",
  tags: [{ name: "Webhooks", description: "What code hosts send, and what became of it." }],
  routes: [...ingress, ...deliveries, ...refused],
  jobs: [prune],
  state: [refusalLog],
});
