export { routes } from "./routes.ts";
export { sessionDays, startSession } from "./service.ts";
export {
  refresh as refreshSession,
  remove as endSession,
  removeOthers as removeOtherSessions,
  removeSessionByToken,
} from "./store.ts";
