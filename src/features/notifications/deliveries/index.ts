export { pruneDeliveries } from "./prune.ts";
export { routes } from "./routes.ts";
export { queueDeliveries } from "./service.ts";
export { hasDue as hasDueDeliveries } from "./store.ts";
export { deliverDue } from "./work.ts";
