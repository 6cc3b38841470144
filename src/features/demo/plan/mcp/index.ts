import type { Random } from "../../random.ts";
import type { Calendar } from "../calendar.ts";
import { planCalls } from "./calls.ts";
import { planServers } from "./servers.ts";

export type { PlannedServer } from "./servers.ts";
export type { PlannedTool } from "./tools.ts";

/** Saved MCP connections, their calls, an approval that waits, and MCP clients that people connected. */
export function planMcp(random: Random, calendar: Calendar) {
  const servers = planServers(calendar);
  return {
    servers,
    calls: planCalls(random, calendar, servers),
    approval: {
      ...{ server: "parcels", tool: "cancel_shipment", member: "grace", at: calendar.now - 11 * 60_000 },
      arguments: { number: "NW-2041-77" },
    },
    clients: [
      {
        ...{ member: "ada", name: "Claude Code", registration: "client_metadata", redirectHost: "localhost" },
        ...{ clientId: "https://claude.example/oauth/claude-code.json", at: calendar.at(-7, "11:02") },
        scopes: ["mcp:read", "mcp:write"],
      },
      {
        ...{ member: "bruno", name: "Cursor", registration: "dynamic", redirectHost: "cursor:" },
        ...{ clientId: "mcr_01k9demo0000000000000000cu", at: calendar.at(-6, "09:15") },
        scopes: ["mcp:read", "mcp:write"],
      },
      {
        ...{
          member: "chiara",
          name: "Visual Studio Code",
          registration: "dynamic",
          redirectHost: "127.0.0.1",
        },
        ...{ clientId: "mcr_01k9demo0000000000000000vs", at: calendar.at(-5, "16:40") },
        scopes: ["mcp:read"],
      },
    ],
  };
}
