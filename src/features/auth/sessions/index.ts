export { routes } from "./routes.ts";
export { sessionDays, startSession } from "./service.ts";
export { refresh as refreshSession, remove as endSession, removeSessionByToken } from "./store.ts";
