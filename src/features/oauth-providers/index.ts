import { sealedAttempts } from "./connect/index.ts";
import { sealedTokens } from "./tokens/index.ts";

export { endConnectionsOfMember } from "./connections/service.ts";
export { jobs } from "./jobs.ts";
export { routes } from "./routes.ts";

/** What `signalbox reseal` walks. */
export const sealedColumns = [
  ...["secret", "private_key"].map((column) => ({ table: "oauth_client_credentials", id: "id", column })),
  ...sealedTokens,
  sealedAttempts,
];
