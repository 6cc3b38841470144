export { sealedAttempts } from "./attempts.ts";
export { providerCache } from "./provider.ts";
export { routes } from "./routes.ts";
export { removeExpiredAcrossOrganizations as removeExpiredAttempts } from "./store.ts";
