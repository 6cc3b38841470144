import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";
import { keyPrefix, resolveKey } from "./service.ts";
import { touchKeys } from "./store.ts";

export { ApiKey } from "./contract.ts";
export { create as createApiKey, insert as insertApiKey, keyPrefix } from "./service.ts";
export { removeKeysOfMember, removeKeysOfUser } from "./store.ts";

export const room = defineRoom({
  name: "api-keys",
  tags: [{ name: "API Keys", description: "Keys that act for a member." }],
  routes,
  permissions: ["api_keys:create", "api_keys:manage"] satisfies Permission[],
  credentials: [
    { kind: "key", carrier: "x-api-key", prefix: keyPrefix, resolve: resolveKey, recordUse: touchKeys },
  ],
});
