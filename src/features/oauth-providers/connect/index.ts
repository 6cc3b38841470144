export { routes } from "./routes.ts";
export { sealedAttempts } from "./secrets.ts";
export { removeExpiredOfAll as removeExpiredAttemptsOfAll, supersede } from "./store.ts";
