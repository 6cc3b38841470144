import type { FieldGuide } from "../../../platform/http/index.ts";

const id = "mcn_01jz8q2d9xf4vvh0tbq8k3m5na";
const url = "https://mcp.example.com/mcp";
const text = JSON.stringify({
  mcpServers: { tickets: { type: "http", url, headers: { Authorization: "Bearer $TICKETS_TOKEN" } } },
});
const item = {
  ...{ key: "tickets", name: "tickets", url, registration: "bearer", headers: ["Authorization"] },
  missing: [{ name: "TICKETS_TOKEN", description: null, secret: true, optional: false }],
  ...{ existing: null, notes: [], problem: null },
};
const choice = {
  ...{ key: "tickets", name: "Tickets", credential: "per_member" },
  values: { TICKETS_TOKEN: "mcp-EXAMPLE-TOKEN-7f31" },
};
const started = { index: 0, key: "tickets", name: "Tickets", url };
const result = { ...started, outcome: "saved", connectionId: id, error: null };
const done = { saved: 1, exists: 0, choiceRequired: 0, refused: 0 };
const message = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Fields of import and export. */
export const fields: FieldGuide = {
  McpImportItem: ["A whole example.", item],
  McpImportPreview: ["A whole example.", { format: "mcp_servers", items: [item] }],
  McpImportChoice: ["A whole example.", choice],
  "postV1McpConnectionsImportPreview.text": ["The file as text.", text],
  "postV1McpConnectionsImport.text": ["The same file again.", text],
  postV1McpConnectionsImport: [
    "A message when each item starts and ends, then the numbers.",
    message("started", started) + message("result", result) + message("done", done),
  ],
  "getV1McpConnectionsExport.configuration": ["The configuration."],
  McpClientConfiguration: [
    "A whole example.",
    {
      ...{ client: "cursor", title: "Cursor", fileName: "mcp.json", language: "json", command: null },
      locations: [{ system: "macos", path: "~/.cursor/mcp.json" }],
      content: `${JSON.stringify({ mcpServers: { signalbox: { url: "https://signalbox.example.com/mcp" } } }, null, 2)}\n`,
      note: "The client opens the browser for the sign-in when it connects the first time.",
      ...{ source: "https://cursor.com/docs/mcp", checkedOn: "2026-11-16" },
    },
  ],
  "McpClientConfiguration.client": ["The MCP client.", "cursor"],
};
