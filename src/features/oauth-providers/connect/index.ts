export { claimWaiting, handleCallback, type OnConnected } from "./callback.ts";
export { callbackPage } from "./pages.ts";
export { routes } from "./routes.ts";
export { type McpStart, prepareConfirmation, start } from "./service.ts";
export { confirmationPage, refuseStart } from "./start-pages.ts";
export { attemptBatcher } from "./starts.ts";
export {
  removeExpiredAcrossOrganizations as removeExpiredAttemptsAcrossOrganizations,
  supersede,
} from "./store.ts";
