import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { recentSetups, sealedCredentials, setupLookups } from "./clients/index.ts";
import { attemptBatcher } from "./connect/index.ts";
import { removeSomeOfConnections, removeSomeWithoutConnection } from "./events/index.ts";
import { jobs } from "./jobs.ts";
import { routes } from "./routes.ts";
import { activeRefreshes, sealedTokens, tokenIssues } from "./tokens/index.ts";

export { knownProviders } from "./catalogue/index.ts";
export { callbackPage, confirmationPage, refuseStart } from "./connect/index.ts";
export { endConnectionsOfMember } from "./connections/index.ts";
export { toProviderId } from "./internal.ts";
export * from "./mcp/index.ts";
export { findMcpToken, isPresentToken, issueToken, replaceRefusedToken } from "./tokens/index.ts";

export const room = defineRoom({
  name: "oauth-providers",
  tags: [
    { name: "OAuth Providers", description: "Accounts at outside providers, and their tokens for agents." },
    {
      name: "OAuth Connections",
      description: "The state of connections, the members who may use them, and their end.",
    },
  ],
  routes,
  jobs,
  leftovers: [removeSomeOfConnections, removeSomeWithoutConnection],
  permissions: ["connections:use", "connections:manage", "oauth_clients:manage"] satisfies Permission[],
  sealedColumns: [...sealedCredentials, ...sealedTokens],
  state: [activeRefreshes, attemptBatcher, recentSetups, setupLookups, tokenIssues],
});
