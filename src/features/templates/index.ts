export { type Problem, readTemplate } from "./files/front-matter.ts";
export type { FoundFile } from "./files/plan.ts";
export { knownFiles, makeEqual } from "./files/service.ts";
export { release as keepTemplates, removeOfConnector as removeTemplates } from "./files/store.ts";
export { routes } from "./routes.ts";
