export { knownProviders, serverOf } from "./known.ts";
export { type KnownProvider, Tenant } from "./schema.ts";
