export { sessionCredential } from "./credential.ts";
export { routes } from "./routes.ts";
export { type NewSession, startSession, startSsoSession } from "./service.ts";
export {
  findSignedInBy,
  refresh as refreshSession,
  refreshBySso as refreshSessionBySso,
  remove as endSession,
  removeByConnector as removeSessionsOfConnector,
  removeOthers as removeOtherSessions,
  type SsoOrigin,
} from "./store.ts";
