export { routes } from "./routes.ts";
export { checkDueDomains, readDomain } from "./service.ts";
export { isVerified as isVerifiedDomain, listAdmins } from "./store.ts";
