export { routes } from "./routes.ts";
export { type SignedIn, sessionDays, startSession } from "./service.ts";
export {
  refresh as refreshSession,
  remove as endSession,
  removeOthers as removeOtherSessions,
} from "./store.ts";
