import { defineRoom } from "../../platform/rooms.ts";
import { fields } from "./fields.ts";
import { jobs } from "./jobs.ts";
import { routes } from "./routes.ts";

export type { KeptDiscovery } from "./contract.ts";

export const room = defineRoom({
  name: "mcp-discoveries",
  tags: [
    {
      name: "MCP Discoveries",
      description:
        "Discoveries of outside MCP servers step by step, their verdicts, and links that share them.",
    },
  ],
  routes,
  jobs,
  fields,
});
