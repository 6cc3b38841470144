import { defineRoom } from "../../platform/rooms.ts";
import { tag } from "./contract.ts";
import { consoleFiles } from "./files.ts";
import { routes } from "./routes.ts";

export const room = defineRoom({
  name: "console",
  tags: [{ name: tag, description: "The web application for people." }],
  routes,
  state: [consoleFiles],
});
