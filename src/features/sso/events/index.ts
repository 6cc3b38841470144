export * as eventContract from "./contract.ts";
export { listEvents, recordOutcome } from "./service.ts";
