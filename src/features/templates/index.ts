export type { Template, TemplateSummary } from "./contract.ts";
export type { Problem } from "./files/front-matter.ts";
export type { FoundFile } from "./files/plan.ts";
export type * as FileReader from "./files/reader.ts";
export { fileReader, knownFiles, makeEqual } from "./files/service.ts";
export { release as keepTemplates, removeOfConnector as removeTemplates } from "./files/store.ts";
export { routes } from "./routes.ts";
export { removeOldVersions, takeStorage } from "./storage.ts";
