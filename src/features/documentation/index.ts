import { defineRoom } from "../../platform/rooms.ts";
import { tag } from "./contract.ts";
import { fields } from "./fields.ts";
import { routes } from "./routes.ts";
import { documentationSite } from "./site.ts";

export const room = defineRoom({
  name: "documentation",
  tags: [{ name: tag, description: "The documentation of this version, for people." }],
  fields,
  routes,
  state: [documentationSite],
});
