export { newCredential, resolveRun, runPrefix } from "./service.ts";
export { endRunCredentialsOfUser, replace as replaceCredential, type StoredCredential } from "./store.ts";
