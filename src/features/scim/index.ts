import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { callLog, routes as calls } from "./calls/index.ts";
import { routes as connectors, scimCredential } from "./connectors/index.ts";
import { routes as discovery } from "./discovery/index.ts";
import { scimFields } from "./fields.ts";
import { routes as groups } from "./groups/index.ts";
import { jobs } from "./jobs.ts";
import { routes as users } from "./users/index.ts";

export const room = defineRoom({
  name: "scim",
  tags: [
    { name: "SCIM connectors", description: "The directory that manages the members of an organization." },
    { name: "SCIM", description: "SCIM 2.0 (RFC 7643, RFC 7644), which directories call." },
  ],
  routes: [...connectors, ...calls, ...discovery, ...users, ...groups],
  jobs,
  permissions: ["scim:read", "scim:manage"] satisfies Permission[],
  credentials: [scimCredential],
  state: [callLog],
  fields: scimFields,
});
