export { fields } from "./fields.ts";
export { routes } from "./routes.ts";
export { checkPasskey } from "./service.ts";
export {
  removeAll as removePasskeys,
  removeExpiredChallengesAcrossOrganizations as removeExpiredPasskeyChallengesAcrossOrganizations,
} from "./store.ts";
