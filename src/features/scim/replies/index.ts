export { serveResource } from "./routes.ts";
export { type Answer, type Asked, createWriter, type WritableRow } from "./writer.ts";
