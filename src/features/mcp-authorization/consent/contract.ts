import { z } from "zod";
import { route, signedIn } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";
import { scopes } from "../contract.ts";
import { paths } from "../server/index.ts";

const tag = "MCP Clients";
const path = `${paths.consent}/{uid}`;
const params = z.strictObject({ uid: z.string() });
const Continuation = z
  .strictObject({ continueAt: z.string().describe("The path that sends the browser back to the client.") })
  .meta({ id: "McpConsent" });
const errors = {
  404: "`mcp_consent_not_found`: it is older than 30 minutes, was decided already, or belongs to another browser.",
};

export const page = route({
  method: "get",
  path,
  tag,
  summary: "Ask the person whether an MCP client may be connected",
  description:
    "The consent page: who asks, where the access goes, what the client may do, and for which organization. It asks to sign in first. It asks every time, also for a client that is connected already.",
  access: signedIn({ credentials: ["session"] }),
  params,
  raw: "text/html",
  replies: { 200: z.string() },
  errors,
});

export const allow = route({
  method: "post",
  path,
  tag,
  summary: "Allow the MCP client, for myself in the organization that the request names",
  description: "For the consent page. It needs the cookie of the browser in which the client was started.",
  access: can("mcp_tokens:create", { credentials: ["session"] }),
  params,
  body: z.strictObject({
    scopes: z
      .array(z.enum(scopes))
      .min(1)
      .max(scopes.length)
      .describe("What the client may do, of what it asks for."),
  }),
  replies: { 200: Continuation },
  errors: {
    ...errors,
    409: "`mcp_client_limit`: the member has connected 50 MCP clients already.",
  },
});

export const deny = route({
  method: "post",
  path: `${path}/deny`,
  tag,
  summary: "Refuse the MCP client",
  description: "For the consent page. The client is told that access was denied.",
  access: signedIn({ credentials: ["session"] }),
  params,
  replies: { 200: Continuation },
  errors,
});
