export { type Actor, actorOf, note, theService } from "./service.ts";
export { removeOldOfAll as removeOldEventsOfAll } from "./store.ts";
