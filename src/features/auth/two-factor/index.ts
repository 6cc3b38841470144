export { resetTwoFactor } from "./operator.ts";
export { routes } from "./routes.ts";
export { type Challenge, challenge, checkCode, sealedSecrets } from "./service.ts";
export { isOn, remove as removeTwoFactor, removeChallenges, removeExpiredOfAll } from "./store.ts";
