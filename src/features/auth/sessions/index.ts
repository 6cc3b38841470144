export { sessionCredential } from "./credential.ts";
export { routes } from "./routes.ts";
export { type NewSession, startSession } from "./service.ts";
export {
  findSignedInBy,
  refresh as refreshSession,
  remove as endSession,
  removeOthers as removeOtherSessions,
} from "./store.ts";
