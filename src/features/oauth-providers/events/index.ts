export * as contract from "./contract.ts";
export { type Actor, actorOf, note, theService } from "./service.ts";
export * as store from "./store.ts";
export { removeOldOfAll as removeOldEventsOfAll } from "./store.ts";
