import { definePersonalCredential } from "../credentials/index.ts";
import { mcpPrefix } from "./service.ts";
import * as store from "./store.ts";

export const mcpCredential = definePersonalCredential({
  kind: "mcp",
  carrier: "bearer",
  prefix: mcpPrefix,
  lookup: store.findMcpTokenByToken,
  describe: ({ scopes }) => ({ scopes }),
  recordUse: store.recordMcpTokenUseAcrossOrganizations,
  ending: { end: store.removeMcpTokensAcrossOrganizations, countedAs: "mcpTokens" },
  scheme: { name: "mcpAuth", description: "MCP token, `sbm_…`, for seven days." },
});
