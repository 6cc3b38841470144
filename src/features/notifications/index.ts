import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes as deliveries } from "./deliveries/index.ts";
import { routes as endpoints, sealedColumns } from "./endpoints/index.ts";
import { fields } from "./fields.ts";
import { jobs } from "./jobs.ts";
import { routes as settings } from "./settings/index.ts";

export { announce } from "./service.ts";

export const room = defineRoom({
  name: "notifications",
  tags: [
    {
      name: "Notifications",
      description: "Webhooks and mails about events of the organization, and their recipients.",
    },
  ],
  routes: [...settings, ...endpoints, ...deliveries],
  fields,
  jobs,
  permissions: ["notifications:manage"] satisfies Permission[],
  sealedColumns,
});
