export { quotaCache } from "./access/quota-cache.ts";
export { routes } from "./routes.ts";
