import { defineRoom } from "../../platform/rooms.ts";
import { jobs } from "./jobs.ts";
import { routes } from "./routes.ts";

export const room = defineRoom({
  name: "bootstrap",
  tags: [{ name: "Bootstrap", description: "Workspaces that agents create, until a person claims them." }],
  routes,
  jobs,
});
