export { findServer, knownProviders } from "./known.ts";
export { type KnownProvider, Tenant } from "./schema.ts";
