export { SandboxError } from "./errors.ts";
export type { Host, Run } from "./protocol.ts";
export { createSandbox, type Sandbox, type SandboxOptions, type Service, type Task } from "./sandbox.ts";
