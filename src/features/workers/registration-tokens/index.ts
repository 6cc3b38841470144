export { registrationCredential } from "./credential.ts";
export { routes } from "./routes.ts";
export { removeExpiredAcrossOrganizations as removeExpiredSecretsAcrossOrganizations } from "./store.ts";
