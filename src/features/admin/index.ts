import { defineRoom } from "../../platform/rooms.ts";
import { fields } from "./fields.ts";
import { routes as log } from "./log/index.ts";
import { routes as organizations } from "./organizations/index.ts";
import { measure, routes as overview } from "./overview/index.ts";
import { routes as usage } from "./usage/index.ts";
import { routes as users } from "./users/index.ts";

export const room = defineRoom({
  name: "admin",
  tags: [
    {
      name: "Admin reporting",
      description:
        "For people who administer the instance (`ADMIN_EMAILS`): its state, accounts, organizations and usage.",
    },
  ],
  routes: [...overview, ...users, ...organizations, ...usage, ...log],
  jobs: [measure],
  fields,
});
