export { buildCallbackUrl } from "./client-metadata.ts";
export { keepClient, releaseClient, releaseClientOfConnection } from "./dynamic.ts";
export { removeClients } from "./jobs.ts";
export { type Plan, planConnection } from "./plan.ts";
export { routes } from "./routes.ts";
