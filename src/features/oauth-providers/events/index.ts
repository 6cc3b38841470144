export * as contract from "./contract.ts";
export { type Actor, createActor, recordEvent, serviceActor } from "./service.ts";
export * as store from "./store.ts";
export { removeOldAcrossOrganizations as removeOldEventsAcrossOrganizations } from "./store.ts";
