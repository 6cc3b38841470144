export { type Identity, type Proof, readEmail, readGroups, readPersonName } from "./identity.ts";
export { mapGroups } from "./mappings.ts";
export { routes } from "./routes.ts";
export { admit } from "./service.ts";
export { listTeamNames } from "./store.ts";
export { decide, type Verdict } from "./verdict.ts";
