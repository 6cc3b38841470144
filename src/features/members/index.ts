export { Member } from "./contract.ts";
export { routes } from "./routes.ts";
export { addMember } from "./service.ts";
export { becomeOwner, findByUser as findMemberByUser } from "./store.ts";
