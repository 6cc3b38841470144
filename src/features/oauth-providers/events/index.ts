export * as contract from "./contract.ts";
export { removeOldEvents } from "./jobs.ts";
export { type Actor, createActor, recordEvent, serviceActor } from "./service.ts";
export * as store from "./store.ts";
export { removeSomeOfConnections, removeSomeWithoutConnection } from "./store.ts";
