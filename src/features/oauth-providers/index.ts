import { sealedCredentials } from "./clients/index.ts";
import { sealedAttempts } from "./connect/index.ts";
import { sealedTokens } from "./tokens/index.ts";

export type { Connection, Grants } from "./connections/contract.ts";
export { endConnectionsOfMember } from "./connections/service.ts";
export { jobs } from "./jobs.ts";
export { routes } from "./routes.ts";

/** The columns that `signalbox reseal` seals again. */
export const sealedColumns = [...sealedCredentials, ...sealedTokens, sealedAttempts];
