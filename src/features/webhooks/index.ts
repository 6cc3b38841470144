import { prune } from "./deliveries/jobs.ts";
import { routes as deliveries } from "./deliveries/routes.ts";
import { routes as ingress } from "./ingress/index.ts";

export const routes = [...ingress, ...deliveries];
export const jobs = [prune];
