export { runCredential } from "./credential.ts";
export { createRunCredential } from "./service.ts";
export { replace as replaceCredential, type StoredCredential } from "./store.ts";
