import { z } from "zod";
import { definePage, pageQuery, route, tooManyStreams } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { Discovery, DiscoveryInput, EvidenceItem } from "../mcp-connections/index.ts";
import { can } from "../permissions/index.ts";

const tag = "MCP Discoveries";
const access = can("mcp:discover");

/** How long a verdict is kept, and how many of them. */
export const keptDays = 90;
export const keptVerdicts = 100;

const summary = {
  id: idSchema("mcd"),
  url: z
    .string()
    .describe(
      "The address that was discovered. Text that looks like a credential is replaced by [redacted].",
    ),
  status: Discovery.shape.status,
  memberId: idSchema("mem").nullable().describe("The member who asked. Null when that member has left."),
  memberName: z.string().nullable().describe("Null when the member has left."),
  requests: z.int().describe("How many requests were sent."),
  durationMs: z.int().describe("How long the discovery took, in milliseconds."),
  createdAt: z.int(),
};

const DiscoverySummary = z.strictObject(summary).meta({ id: "McpDiscoverySummary" });
export type DiscoverySummary = z.output<typeof DiscoverySummary>;

export const KeptDiscovery = z
  .strictObject({
    ...summary,
    result: Discovery.describe("The verdict, as `POST /v1/mcp-connections/discover` returns it."),
    evidence: z.array(EvidenceItem).describe("The requests that were sent, in their order."),
  })
  .meta({ id: "McpDiscovery" });
export type KeptDiscovery = z.output<typeof KeptDiscovery>;

/** What a stream sends. Its messages are not validated, so the types are checked by the compiler. */
export interface StepMessage {
  /** The position of the request in the evidence. */
  index: number;
  state: "sent" | "answered" | "interpreted";
  step: string;
  method: string;
  url: string;
  startedMs: number;
  status?: number;
  failure?: string;
  ms?: number;
  learned?: string;
  rule?: string;
  decided?: string[];
}

export const stream = route({
  method: "post",
  path: "/v1/mcp-discoveries",
  tag,
  summary: "Discover a server and follow each step",
  description: `Does the same as \`POST /v1/mcp-connections/discover\` with the same limits, answers with an event stream, and keeps the verdict. Messages named \`step\` report each request of the discovery: \`state\` is \`sent\`, then \`answered\` with \`status\` or \`failure\` and \`ms\`, then \`interpreted\` with \`learned\`, \`rule\` and \`decided\`; \`index\` identifies the request. The last message is \`verdict\` with the kept discovery, or \`failed\` with \`error\` and \`message\`. When the caller disconnects, the discovery stops and nothing is kept. Verdicts are kept for ${keptDays} days, the newest ${keptVerdicts} of them.`,
  access,
  query: z.strictObject({}),
  body: z.strictObject(DiscoveryInput.shape),
  raw: "text/event-stream",
  replies: { 200: z.string() },
  errors: { 429: tooManyStreams },
});

export const listQuery = pageQuery.extend({ status: Discovery.shape.status.optional() });

export const list = route({
  method: "get",
  path: "/v1/mcp-discoveries",
  tag,
  summary: "List earlier verdicts",
  description: `Newest first. Verdicts are kept for ${keptDays} days, the newest ${keptVerdicts} of them.`,
  access,
  query: listQuery,
  replies: { 200: definePage(DiscoverySummary).meta({ id: "McpDiscoveryPage" }) },
});

const params = z.strictObject({ id: z.string().min(1).max(160) });
const errors = { 404: "`mcp_discovery_not_found`" };

export const read = route({
  method: "get",
  path: "/v1/mcp-discoveries/{id}",
  tag,
  summary: "Read an earlier verdict and its evidence",
  description: "What the server answered at that time. Discover it again to see the present state.",
  access,
  params,
  replies: { 200: z.strictObject({ discovery: KeptDiscovery }) },
  errors,
});

export const remove = route({
  method: "delete",
  path: "/v1/mcp-discoveries/{id}",
  tag,
  summary: "Delete an earlier verdict",
  description: "Links that share it stop working at once.",
  access,
  params,
  replies: { 204: null },
  errors,
});
