export {
  consentRequired,
  findHeaders,
  reportChallenge,
  reportWorked,
  retriedCredentials,
  signInRequired,
  workWithRenewal,
} from "./headers.ts";
export { routes } from "./routes.ts";
export { storeCredential, toHeaders } from "./service.ts";
