import { routes as deliveries } from "./deliveries/index.ts";
import { routes as endpoints } from "./endpoints/index.ts";
import { routes as settings } from "./settings/index.ts";

export { sealedColumns } from "./endpoints/index.ts";
export type { Fact } from "./facts.ts";
export { jobs } from "./jobs.ts";
export { announce } from "./service.ts";

export const routes = [...settings, ...endpoints, ...deliveries];
