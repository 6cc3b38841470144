import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";

export type { Problem } from "./files/front-matter.ts";
export type { FoundFile } from "./files/plan.ts";
export type * as FileReader from "./files/reader.ts";
export { fileReader, knownFiles, makeEqual } from "./files/service.ts";
export { release as keepTemplates, removeOfConnector as removeTemplates } from "./files/store.ts";
export { removeOldVersions, takeStorage } from "./storage.ts";

export const room = defineRoom({
  name: "templates",
  tags: [{ name: "Templates", description: "What agents are given to work with." }],
  routes,
  permissions: ["templates:read", "templates:manage"] satisfies Permission[],
});
