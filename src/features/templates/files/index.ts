export type { Problem } from "./front-matter.ts";
export type { FoundFile } from "./plan.ts";
export type * as FileReader from "./reader.ts";
export { fileReader, knownFiles, makeEqual } from "./service.ts";
export { release as keepTemplates, removeOfConnector as removeTemplates } from "./store.ts";
