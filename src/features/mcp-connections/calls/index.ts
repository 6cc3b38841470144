export { callFields } from "./fields.ts";
export { callRoutes } from "./routes.ts";
export type { CallableConnection, CallOptions, CallTool, CountCallsSince } from "./types.ts";
