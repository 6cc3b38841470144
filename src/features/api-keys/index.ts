export { routes } from "./routes.ts";
export { keyPrefix, resolveKey } from "./service.ts";
export { touchKeys } from "./store.ts";
