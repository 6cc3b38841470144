export { tokenIssues } from "./issues.ts";
export { refreshExpiring } from "./jobs.ts";
export { findMcpToken, isPresentToken, replaceRefusedToken } from "./mcp.ts";
export { activeRefreshes } from "./refresh.ts";
export { routes } from "./routes.ts";
export { openToken, sealedTokens, sealTokens } from "./sealing.ts";
export { issueToken } from "./service.ts";
export {
  insert as insertToken,
  removeEndedAcrossOrganizations as removeEndedTokensAcrossOrganizations,
  retire as retireToken,
} from "./store.ts";
