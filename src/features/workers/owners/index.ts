export { actAsOwner, limitToOwner } from "./service.ts";
