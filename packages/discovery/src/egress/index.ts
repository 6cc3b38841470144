export { parseEgressAllow } from "./allow.ts";
export { createEgress, type EgressOptions } from "./egress.ts";
export { EgressError } from "./errors.ts";
export { isLoopbackHost } from "./policy.ts";
export type * from "./types.ts";
