export { routes } from "./routes.ts";
export { type Challenge, challenge, checkCode, sealedSecrets } from "./service.ts";
export { isOn, removeChallenges, removeExpiredOfAll } from "./store.ts";
