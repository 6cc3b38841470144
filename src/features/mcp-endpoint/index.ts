import { defineRoom } from "../../platform/rooms.ts";
import { toolChanges } from "./changes.ts";
import { tag } from "./contract.ts";
import { conversations } from "./conversations.ts";
import { routes } from "./routes.ts";
import { callsInProgress, questions } from "./sessions/index.ts";

export const room = defineRoom({
  name: "mcp-endpoint",
  tags: [{ name: tag, description: "One endpoint for MCP clients, with the tools of all connections." }],
  routes,
  state: [callsInProgress, conversations, questions, toolChanges],
});
