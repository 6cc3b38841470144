import type { Item, Operation, Reply } from "../../lib/api.ts";
import type { AuthorizationServer, Result } from "../discover/types.ts";

export type Connection = Item<"GET /v1/mcp-connections">;
export type ConnectionDetail = Reply<"GET /v1/mcp-connections/{id}">["connection"];
export type Tool = Item<"GET /v1/mcp-connections/{id}/tools">;
export type Drift = Item<"GET /v1/mcp-connections/{id}/drift">;
export type Policy = ConnectionDetail["policy"];
export type Limits = ConnectionDetail["limits"];
export type Approval = Item<"GET /v1/mcp-approvals">;
export type Registration = Connection["registration"];
export type { AuthorizationServer, Result };

/** What changes when a connection changes. */
export const changed = [
  "GET /v1/mcp-connections",
  "GET /v1/mcp-connections/{id}",
  "GET /v1/mcp-connections/{id}/members",
  "GET /v1/mcp-connections/{id}/tools",
  "GET /v1/mcp-connections/{id}/drift",
] as const satisfies readonly Operation[];

const careStatuses: ReadonlySet<string> = new Set(["tools_held", "needs_consent", "sign_in", "no_answer"]);

/** Whether somebody has to do something about it. */
export const needsCare = ({ status, verdictDrift, enabled }: Connection): boolean =>
  enabled && (careStatuses.has(status) || verdictDrift.length > 0);

const oauthWays: ReadonlySet<Registration> = new Set(["client_metadata", "dynamic", "pre_registered"]);
export const isOauth = (registration: Registration): boolean => oauthWays.has(registration);

export const findHost = (url: string): string => URL.parse(url)?.host || url;

export const splitScopes = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];
