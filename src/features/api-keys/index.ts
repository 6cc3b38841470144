export { ApiKey } from "./contract.ts";
export { routes } from "./routes.ts";
export { create as createApiKey, insert as insertApiKey, keyPrefix, resolveKey } from "./service.ts";
export { removeKeysOfMember, removeKeysOfUser, touchKeys } from "./store.ts";
