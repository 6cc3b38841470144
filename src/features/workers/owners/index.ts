export { actAsOwner, isWithinRights, limitToOwner } from "./service.ts";
