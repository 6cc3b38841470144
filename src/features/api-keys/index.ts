export { routes } from "./routes.ts";
export { create as createApiKey, keyPrefix, resolveKey } from "./service.ts";
export { touchKeys } from "./store.ts";
