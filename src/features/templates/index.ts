import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";

export {
  type FileReader,
  type FoundFile,
  fileReader,
  keepTemplates,
  knownFiles,
  makeEqual,
  type Problem,
  removeTemplates,
} from "./files/index.ts";
export { removeOldVersions, takeStorage } from "./storage.ts";

export const room = defineRoom({
  name: "templates",
  tags: [{ name: "Templates", description: "What agents are given to work with." }],
  routes,
  permissions: ["templates:read", "templates:manage"] satisfies Permission[],
});
