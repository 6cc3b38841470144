export { resetTwoFactor } from "./operator.ts";
export { routes } from "./routes.ts";
export { type Challenge, checkCode, createChallenge, sealedSecrets } from "./service.ts";
export {
  hasTwoFactor,
  remove as removeTwoFactor,
  removeChallenges,
  removeExpiredChallengesAcrossOrganizations,
} from "./store.ts";
