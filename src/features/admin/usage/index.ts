export { figures, maxDays } from "./contract.ts";
export { addDays } from "./days.ts";
export { routes } from "./routes.ts";
export { findLastDays, noUsage } from "./service.ts";
export { sumAcrossOrganizations, sumByOrganizationAcrossOrganizations } from "./store.ts";
