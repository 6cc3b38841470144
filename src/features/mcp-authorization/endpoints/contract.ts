import { z } from "zod";
import { open, route } from "../../../platform/http/index.ts";
import { paths } from "../server/index.ts";

const tag = "MCP Clients";
const form = "application/x-www-form-urlencoded";

const ServerMetadata = z
  .strictObject({
    issuer: z.string().describe("The address of this instance."),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: z.string(),
    registration_endpoint: z.string(),
    scopes_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    response_modes_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z
      .array(z.string())
      .describe("Only `none`: all clients are public clients with PKCE."),
    revocation_endpoint_auth_methods_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
    authorization_response_iss_parameter_supported: z.boolean(),
    client_id_metadata_document_supported: z.boolean(),
    protected_resources: z.array(z.string()),
    service_documentation: z.string(),
  })
  .meta({ id: "OauthServerMetadata" });
export type ServerMetadata = z.output<typeof ServerMetadata>;

const ResourceMetadata = z
  .strictObject({
    resource: z.string().describe("The address of the MCP endpoint. Tokens are issued for it only."),
    resource_name: z.string(),
    authorization_servers: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
    resource_documentation: z.string(),
  })
  .meta({ id: "OauthResourceMetadata" });
export type ResourceMetadata = z.output<typeof ResourceMetadata>;

export const serverMetadata = route({
  method: "get",
  path: "/.well-known/oauth-authorization-server",
  tag,
  summary: "Read the metadata of the authorization server (RFC 8414)",
  description:
    "This instance is the authorization server of its own MCP endpoint. It issues no ID tokens, so it has no OpenID configuration.",
  access: open,
  replies: { 200: ServerMetadata },
});

export const resourceMetadata = route({
  method: "get",
  path: "/.well-known/oauth-protected-resource/mcp",
  tag,
  summary: "Read the metadata of the MCP endpoint (RFC 9728)",
  description:
    "A reply of the MCP endpoint with the status 401 names this address, so that a client finds the way to sign in.",
  access: open,
  replies: { 200: ResourceMetadata },
});

export const rootResourceMetadata = route({
  method: "get",
  path: "/.well-known/oauth-protected-resource",
  tag,
  summary: "Read the metadata of the MCP endpoint, for clients that ask at the root",
  description: "The same content as at `/.well-known/oauth-protected-resource/mcp`.",
  access: open,
  replies: { 200: ResourceMetadata },
});

export const authorize = route({
  method: "get",
  path: paths.authorize,
  changes: true,
  tag,
  summary: "Start to connect an MCP client, in a browser",
  description:
    "The authorization endpoint. Only the code flow with PKCE (`S256`) is offered, and only for the MCP endpoint as `resource`. A browser is redirected to the consent page. A request that is not valid is answered with a page and is not redirected to the client. At most 300 requests a minute from one network, and 60 of them for one client.",
  access: open,
  limit: { attempts: 300, perSeconds: 60 },
  // Clients may add any parameters. Those that are not known are ignored.
  query: z.looseObject({}),
  raw: "text/html",
  replies: { 200: z.string() },
});

export const resume = route({
  method: "get",
  path: `${paths.authorize}/{uid}`,
  changes: true,
  tag,
  summary: "Send the browser back to the MCP client, after the decision",
  description:
    "The consent page opens this address. It redirects to the client with a code, or with the error `access_denied`. It needs the cookie of the browser in which the client was started.",
  access: open,
  limit: { attempts: 300, perSeconds: 60 },
  params: z.strictObject({ uid: z.string() }),
  query: z.looseObject({}),
  raw: "text/html",
  replies: { 200: z.string() },
});

const TokenReply = z
  .strictObject({
    access_token: z.string().describe("`sba_…`, valid for an hour at the MCP endpoint."),
    token_type: z.literal("Bearer"),
    expires_in: z.int(),
    refresh_token: z.string().describe("`sbf_…`. It is used once: every reply contains the next one."),
    scope: z.string(),
  })
  .meta({ id: "OauthToken" });

export const token = route({
  method: "post",
  path: paths.token,
  tag,
  summary: "Exchange a code or a refresh token for an access token",
  description:
    "Fields of the form: `grant_type`, `client_id`, and `code`, `redirect_uri`, `code_verifier` or `refresh_token`. A refresh token that is used again more than ten seconds after its first use ends the connection of the client. Errors are those of RFC 6749.",
  access: open,
  bytes: [form],
  bodyLimit: 64 * 1024,
  raw: "application/json",
  replies: { 200: TokenReply },
});

export const revoke = route({
  method: "post",
  path: paths.revoke,
  tag,
  summary: "End the connection of an MCP client, by the client itself (RFC 7009)",
  description:
    "Fields of the form: `token`, `client_id`. The access token and the refresh token end together, at once. The reply is the same for an unknown token.",
  access: open,
  bytes: [form],
  bodyLimit: 64 * 1024,
  raw: "application/json",
  replies: { 200: z.string() },
});

const Registration = z
  .looseObject({
    client_id: z.string(),
    client_name: z.string(),
    redirect_uris: z.array(z.string()),
    token_endpoint_auth_method: z.literal("none"),
  })
  .meta({ id: "OauthRegistration" });

export const register = route({
  method: "post",
  path: paths.register,
  tag,
  summary: "Register an MCP client (RFC 7591)",
  description:
    "For clients without a metadata document. Every client becomes a public client, whatever it asks for. `redirect_uris` use https, http on a loopback address (then any port is accepted later), or the scheme of an app. A client that nobody connects is deleted a day after its last use.",
  access: open,
  limit: { attempts: 60, perSeconds: 3_600 },
  bytes: ["application/json"],
  bodyLimit: 32 * 1024,
  raw: "application/json",
  replies: { 201: Registration },
});
