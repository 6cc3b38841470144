import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes as deliveries } from "./deliveries/index.ts";
import { routes as endpoints, sealedColumns } from "./endpoints/index.ts";
import { jobs } from "./jobs.ts";
import { routes as settings } from "./settings/index.ts";

export { announce } from "./service.ts";

export const room = defineRoom({
  name: "notifications",
  tags: [
    {
      name: "Notifications",
      description: "Outgoing webhooks and mails about events, and who receives them.",
    },
  ],
  routes: [...settings, ...endpoints, ...deliveries],
  jobs,
  permissions: ["notifications:manage"] satisfies Permission[],
  sealedColumns,
});
