export { actAsOwner, isWithinRights, limitToOwner } from "./service.ts";
export { keep as keepWorker } from "./store.ts";
