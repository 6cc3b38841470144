import type { Reply } from "../../lib/api.ts";

export type KeptDiscovery = Reply<"GET /v1/mcp-discoveries/{id}">["discovery"];
export type Result = KeptDiscovery["result"];
export type Evidence = KeptDiscovery["evidence"][number];
export type AuthorizationServer = Result["authentication"]["authorizationServers"][number];
export type Requirement = Result["manualRequirements"][number];

/** What a verdict page shows: a kept verdict, or a shared one. */
export type ShownDiscovery = Pick<
  KeptDiscovery,
  "url" | "status" | "requests" | "durationMs" | "createdAt" | "result" | "evidence"
>;

/** A request of a discovery, while it is under way or afterwards. */
export interface Step extends Pick<Evidence, "step" | "method" | "url" | "startedMs"> {
  state: "sent" | "answered" | "interpreted";
  status?: number;
  failure?: string;
  ms?: number;
  learned?: string;
  rule?: string;
  decided?: readonly string[];
}
