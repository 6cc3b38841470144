export { routes } from "./routes.ts";
export {
  addBackupCodes,
  type Challenge,
  checkCode,
  countChallengeTry,
  createChallenge,
  removeTwoFactor,
  removeUnneededBackupCodes,
  sealedSecrets,
} from "./service.ts";
export {
  endChallenge,
  findChallengeByToken,
  hasTwoFactor,
  lockPerson,
  removeChallenges,
  removeExpiredChallengesAcrossOrganizations,
} from "./store.ts";
