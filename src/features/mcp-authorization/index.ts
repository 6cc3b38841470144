import { defineRoom } from "../../platform/rooms.ts";
import { mcpClientCredential } from "./credential.ts";
import { fields } from "./fields.ts";
import { jobs } from "./jobs.ts";
import { routes } from "./routes.ts";
import { authorizationServer, sealedRecords } from "./server/index.ts";

export const room = defineRoom({
  name: "mcp-authorization",
  tags: [{ name: "MCP Clients", description: "MCP clients that people connected by signing in." }],
  routes,
  jobs,
  credentials: [mcpClientCredential],
  sealedColumns: [sealedRecords],
  state: [authorizationServer],
  fields,
});
