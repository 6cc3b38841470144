export { runCredential } from "./credential.ts";
export { newCredential } from "./service.ts";
export { replace as replaceCredential, type StoredCredential } from "./store.ts";
