export { sessionCredential } from "./credential.ts";
export { routes } from "./routes.ts";
export { startSession } from "./service.ts";
export {
  findSignedInBy,
  refresh as refreshSession,
  remove as endSession,
  removeOthers as removeOtherSessions,
  removeSessionByToken,
  sessionDays,
} from "./store.ts";
