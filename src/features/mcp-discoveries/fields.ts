import type { FieldGuide } from "../../platform/http/index.ts";

const id = "mcd_01jz8q2d9xf4vvh0tbq8k3m5na";
const shareId = "mcs_01jz8q2d9xf4vvh0tbq8k3m5na";
const token = "sbv_2hV7nQ4xKp9sT1mB6wZ0cR8dF3gJ5yLa7eUo";

const url = "https://mcp.example.com/mcp";
const summary = { url, status: "ready", requests: 1, durationMs: 246, createdAt: 1_793_611_800_000 };
const asked = { memberId: "mem_01jz8q2d9xf4vvh0tbq8k3m5na", memberName: "Ada Lovelace" };
const verdict = {
  result: {
    status: "ready",
    server: { url, protocolVersion: "2026-07-28", initialize: "succeeded" },
    authentication: {
      ...{ kind: "none", authorizationServers: [], requiredScopes: [], recommendedScopes: [] },
      ...{ refreshSupport: "unknown", availableRegistrationMethods: ["pre_registered"] },
      recommendedRegistrationMethod: "pre_registered",
    },
    tools: {
      visibility: "available_without_auth",
      count: 1,
      items: [{ name: "read_page", readOnlyHint: true }],
    },
    ...{ manualRequirements: [], warnings: [] },
  },
  evidence: [
    {
      ...{ step: "probe_discover", method: "POST", url, status: 200, startedMs: 0.4, ms: 96.1 },
      learned: "The server speaks 2026-07-28.",
      rule: "MCP 2026-07-28, Discovery",
      decided: ["server.protocolVersion"],
    },
  ],
};
const share = {
  ...{ id: shareId, discoveryId: id, createdBy: asked.memberId },
  ...{ expiresAt: 1_794_216_600_000, createdAt: 1_793_611_800_000 },
};

/** Fields of kept verdicts and of links that share them. */
export const fields: FieldGuide = {
  "/v1/mcp-discoveries/{id}": ["The kept verdict.", id],
  "/v1/mcp-discoveries/{id}/shares/{shareId}": ["The link.", shareId],
  postV1McpDiscoveries: [
    "Messages with the steps, then the verdict.",
    `event: step\ndata: ${JSON.stringify({ index: 0, state: "sent", step: "probe_discover", method: "POST", url, startedMs: 0.4 })}\n\nevent: verdict\ndata: ${JSON.stringify({ discovery: { id, ...summary, ...asked, ...verdict } })}\n\n`,
  ],
  McpDiscoverySummary: ["A whole example.", { id, ...summary, ...asked }],
  McpDiscovery: ["A whole example.", { id, ...summary, ...asked, ...verdict }],
  SharedMcpDiscovery: ["A whole example.", { ...summary, ...verdict, expiresAt: share.expiresAt }],
  McpDiscoveryShare: ["A whole example.", share],
  "getV1McpDiscoveriesById.discovery": ["The kept verdict."],
  "getV1McpDiscoveriesShared.discovery": ["The shared verdict."],
  "postV1McpDiscoveriesByIdShares.share": ["The link, without its token."],
  "postV1McpDiscoveriesByIdShares.token": ["The token in the link.", token],
  "postV1McpDiscoveriesByIdShares.url": [
    "The link.",
    `https://signalbox.example.com/shared/verdict#${token}`,
  ],
  "getV1McpDiscoveriesShared.token": ["The token of the link.", token],
  "McpDiscoveryShare.discoveryId": ["The verdict that it shares.", id],
};
