export { ApiKey } from "./contract.ts";
export { routes } from "./routes.ts";
export { create as createApiKey, insert as insertApiKey, keyPrefix, resolveKey } from "./service.ts";
export { touchKeys } from "./store.ts";
