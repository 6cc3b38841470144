import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";

export {
  applyFiles,
  detachTemplates,
  type FileReader,
  type FoundFile,
  fileReader,
  listKnownFiles,
  type Problem,
  removeTemplates,
} from "./files/index.ts";
export { findMaxTemplates, removeOldVersions, reserveStorage } from "./storage.ts";

export const room = defineRoom({
  name: "templates",
  tags: [{ name: "Templates", description: "Texts that agents are given." }],
  routes,
  permissions: ["templates:read", "templates:manage"] satisfies Permission[],
});
