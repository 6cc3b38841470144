export { FileError, parseDocument, parseFile, type ServerFile } from "./parse.ts";
export type { FileServer } from "./server.ts";
export { fillTemplate, listPlaceholders, showTemplate } from "./templates.ts";
