export { routes } from "./routes.ts";
export { sealedAttempts } from "./secrets.ts";
export {
  removeExpiredAcrossOrganizations as removeExpiredAttemptsAcrossOrganizations,
  supersede,
} from "./store.ts";
