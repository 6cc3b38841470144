export { providerCache } from "./provider.ts";
export { routes } from "./routes.ts";
export { sealedAttempts } from "./secrets.ts";
export { removeExpiredAcrossOrganizations as removeExpiredAttempts } from "./store.ts";
