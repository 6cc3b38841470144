export { routes } from "./routes.ts";
export { checkDueDomains, domainOf } from "./service.ts";
export { isVerified as isVerifiedDomain, listAdmins } from "./store.ts";
