import { definePersonalCredential } from "../credentials/index.ts";
import { accessTokenPrefix } from "./prefixes.ts";
import * as store from "./store.ts";

export const mcpClientCredential = definePersonalCredential({
  kind: "mcp_client",
  carrier: "bearer",
  prefix: accessTokenPrefix,
  lookup: store.findGrantByToken,
  describe: ({ scopes }) => ({ scopes: scopes ?? [] }),
  recordUse: store.recordGrantUseAcrossOrganizations,
  ending: { end: store.removeGrantsAcrossOrganizations, countedAs: "mcpClients" },
  scheme: {
    name: "mcpClientAuth",
    description: "Access token of a connected MCP client, `sba_…`, for an hour.",
  },
});
