import { defineRoom } from "../../platform/rooms.ts";
import { createRoutes } from "./routes.ts";
import { migrationCount } from "./service.ts";

export { fieldGuide } from "./reference/index.ts";

/** This room publishes the API description of all rooms. */
export const createRoom = (api: () => Record<string, unknown>) =>
  defineRoom({
    name: "system",
    tags: [{ name: "System", description: "Health, versions, this description." }],
    routes: createRoutes(api),
    state: [migrationCount],
  });
