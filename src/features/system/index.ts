import { defineRoom } from "../../platform/rooms.ts";
import { description } from "./description.ts";
import { instanceFacts } from "./instance.ts";
import { fieldGuide } from "./reference/index.ts";
import { routes } from "./routes.ts";
import { migrationCount } from "./service.ts";

export const room = defineRoom({
  name: "system",
  tags: [{ name: "System", description: "Health, versions, this description." }],
  routes,
  fields: fieldGuide,
  state: [description, instanceFacts, migrationCount],
  start: ({ state }, { api }) => state.get(description).publish(api),
});
