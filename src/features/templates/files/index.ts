export type { Problem } from "./front-matter.ts";
export type { FoundFile, Write } from "./plan.ts";
export type * as FileReader from "./reader.ts";
export { applyFiles, fileReader, listKnownFiles } from "./service.ts";
export { detachFromConnector as detachTemplates, removeByConnector as removeTemplates } from "./store.ts";
