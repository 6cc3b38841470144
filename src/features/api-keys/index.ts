import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { keyCredential, keyLookups } from "./credential.ts";
import { routes } from "./routes.ts";

export { ApiKey } from "./contract.ts";
export { insert as insertApiKey, keyPrefix } from "./service.ts";

export const room = defineRoom({
  name: "api-keys",
  tags: [{ name: "API Keys", description: "Keys that act for a member." }],
  routes,
  permissions: ["api_keys:create", "api_keys:manage"] satisfies Permission[],
  credentials: [keyCredential],
  state: [keyLookups],
});
