import { z } from "zod";
import type { CredentialKind } from "../../platform/context.ts";
import { member, protocol } from "../../platform/http/index.ts";

export const tag = "MCP Endpoint";
export const path = "/mcp";

/** `mcp:read`: list, search and call tools that only read. `mcp:write`: call all other tools. */
export const scopes = ["mcp:read", "mcp:write"] as const;
export type Scope = (typeof scopes)[number];

/** Credentials that were issued for this endpoint. Routes of the API do not accept them. */
export const endpointCredentials: readonly CredentialKind[] = ["mcp", "mcp_client"];

/** A run credential is accepted too. It has no scopes: the automation decides what a run may do. */
export const access = member({ credentials: [...endpointCredentials, "run"] });

const JsonRpcError = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.null(),
  error: z.looseObject({ code: z.int(), message: z.string() }),
});

/** Codes of JSON-RPC for refusals that happen before a message is read. */
const invalidRequest = -32600;
const serverError = -32000;

export const mcp = protocol({
  prefix: path,
  resourceMetadata: (publicUrl) => `${publicUrl}/.well-known/oauth-protected-resource${path}`,
  error: {
    schema: JsonRpcError,
    render: ({ status, message, body }) => ({
      jsonrpc: "2.0",
      id: null,
      error: { code: status === 400 ? invalidRequest : serverError, message, data: body },
    }),
  },
});

/** Which tools of connections are listed. Own tools and the two tools for search and execution always are. */
export const listings = ["all", "search"] as const;
export type Listing = (typeof listings)[number];

export const limits = {
  /** The arguments of a call have limits of their own, which their connection sets. */
  bodyBytes: 4 * 1024 * 1024,
  eventBytes: 64 * 1024 * 1024,
  /** Messages in one JSON-RPC batch. */
  batch: 20,
  /** With more tools of connections than this, only search lists them, unless the caller asks for all. */
  listedTools: 100,
  pageTools: 100,
  pageBytes: 1024 * 1024,
};
