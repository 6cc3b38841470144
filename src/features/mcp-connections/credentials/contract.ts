import { z } from "zod";
import { definePage, open, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { headerMap, secretText } from "../input.ts";

const tag = "MCP Connections";
const use = can("mcp_connections:use");
const params = z.strictObject({ id: z.string().min(1).max(160) });
const errors = { 404: "`mcp_connection_not_found`" };

export const start = route({
  method: "get",
  path: "/v1/mcp-connections/{id}/connect/start",
  changes: true,
  tag,
  summary: "Start to connect my account to an MCP connection",
  description:
    "Send the member's browser to `authorizeUrl`. It works once, within ten minutes. For a shared credential it needs `mcp_connections:manage`. A browser that opens this URL gets a page that asks for confirmation and then redirects to the authorization server. Errors are pages too.",
  access: use,
  params,
  // Unknown parameters are ignored, so that newer programs can send them.
  query: z.looseObject({
    scopes: z
      .string()
      .max(4000)
      .optional()
      .describe("Additional scopes, separated by spaces, such as those that the server found missing."),
    returnTo: z
      .string()
      .max(500)
      .optional()
      .describe("A path on this site that the last page links back to."),
    confirm: z
      .string()
      .max(200)
      .optional()
      .describe(
        "For browsers only: the confirmation from the page that asks whether to continue. Valid for ten minutes.",
      ),
  }),
  navigation: {
    status: 303,
    description: "Redirects a browser to the authorization server after the person has confirmed.",
  },
  replies: { 200: z.strictObject({ authorizeUrl: z.string() }).meta({ id: "McpConnectStart" }) },
  errors: {
    ...errors,
    409: "`mcp_no_sign_in`: the connection needs no account, or a key that is set with `PUT …/credential`.",
  },
});
export type StartQuery = z.output<(typeof start)["query"]>;

export const callback = route({
  method: "get",
  path: "/v1/mcp-connections/connect/callback",
  changes: true,
  tag,
  summary: "Receive the browser from an authorization server",
  description:
    "The one redirect URI of all MCP connections. The page shows the result and a link back. The answer must come from the authorization server that was asked.",
  access: open,
  // Servers may add any parameters.
  query: z.looseObject({}),
  raw: "text/html",
  replies: { 200: z.string() },
});

export const claim = route({
  method: "post",
  path: "/v1/mcp-connections/{id}/connect/claim",
  tag,
  summary: "Claim an account that was connected in a browser without my session",
  description:
    "For a connect that was started with an API key. The page in the browser shows a code. Send the code with the credential that started, or with a session of the same member.",
  access: use,
  params,
  body: z.strictObject({ code: z.string().min(1).max(40).describe("The code that the page shows.") }),
  replies: { 204: null },
  errors: {
    404: "`mcp_connection_not_found`, or `claim_not_found`: the code is wrong, belongs to another member, or has expired.",
  },
});

export const disconnect = route({
  method: "post",
  path: "/v1/mcp-connections/{id}/disconnect",
  tag,
  summary: "Disconnect my account from an MCP connection",
  description:
    "Ends the caller's own credential, or with `mcp_connections:manage` the shared one. The token is revoked at the authorization server as soon as possible. Nothing happens when nothing is connected.",
  access: use,
  params,
  replies: { 204: null },
  errors,
});

export const setCredential = route({
  method: "put",
  path: "/v1/mcp-connections/{id}/credential",
  tag,
  summary: "Set the token or headers of an MCP connection",
  description:
    "Replaces them. A shared credential needs `mcp_connections:manage`; with one credential per member it sets the caller's own. It is stored sealed, sent only to the server of the connection, and never shown again.",
  access: use,
  params,
  body: z.strictObject({
    bearerToken: secretText.optional().describe("Sent as `Authorization: Bearer …`."),
    headers: headerMap.optional(),
  }),
  replies: { 204: null },
  errors: { ...errors, 409: "`mcp_no_static_credential`: members sign in to this connection instead." },
});
export type NewCredential = z.output<(typeof setCredential)["body"]>;

const McpConnectionMember = z
  .strictObject({
    memberId: idSchema("mem"),
    name: z.string().describe("The name of the member."),
    mayUse: z.boolean().describe("Whether the member was granted the connection."),
    state: z
      .enum(["connected", "not_connected", "sign_in", "needs_consent", "not_needed"])
      .describe("The state of the member's own credential."),
    missingScopes: z.array(z.string()).describe("For `needs_consent`: the scopes to consent to."),
    account: z.string().nullable().describe("The member's account at the server, if it is known."),
    since: z.int().nullable().describe("Since when it is in this state. In milliseconds since 1970."),
    lastUsedAt: z.int().nullable().describe("When its token was last used."),
  })
  .meta({ id: "McpConnectionMember" });
export type McpConnectionMember = z.output<typeof McpConnectionMember>;

export const listMembers = route({
  method: "get",
  path: "/v1/mcp-connections/{id}/members",
  tag,
  summary: "List the members of an MCP connection",
  description: "The members who may use it or have connected an account, and the state of each.",
  access: can("mcp_connections:manage"),
  params,
  query: pageQuery,
  replies: { 200: definePage(McpConnectionMember).meta({ id: "McpConnectionMemberPage" }) },
  errors,
});
