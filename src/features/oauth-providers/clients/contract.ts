import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { authMethods } from "../../../platform/oauth/index.ts";
import { can } from "../../permissions/index.ts";

const tag = "OAuth Providers";
const params = z.strictObject({ providerId: z.string() });
const manage = can("oauth_clients:manage", { fresh: true });

/** RFC 6749 §3.3. */
export const scopeToken = z
  .string()
  .max(300)
  .regex(
    /^[\x21\x23-\x5b\x5d-\x7e]+$/,
    "A scope has visible characters only, without quotes and backslashes.",
  );
export const scopeList = z.array(scopeToken).max(100);

export const connectionModes = ["personal", "organization"] as const;

const Client = z
  .strictObject({
    providerId: z.string(),
    clientId: z.string(),
    redirectUri: z.string().describe("The redirect URI. Register exactly this value at the provider."),
    tokenEndpointAuthMethod: z.enum(authMethods),
    hasSecret: z.boolean().describe("The secret itself is never shown again."),
    publicKey: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("For `private_key_jwt`: the JWK to register at the provider."),
    tenant: z.string().nullable(),
    scopes: z.array(z.string()).describe("Requested with every connection."),
    optionalScopes: z.array(z.string()).describe("Scopes that members can request in addition."),
    connectionMode: z
      .enum(connectionModes)
      .describe(
        "`organization`: only shared connections, created by an admin. `personal`: members connect their own accounts.",
      ),
    complete: z.boolean(),
    missing: z.array(z.string()).describe("The missing fields. Nobody can connect before they are given."),
    connections: z.int().describe("The number of working connections that use it."),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "OauthClient" });
export type Client = z.output<typeof Client>;

const wouldEnd =
  "`connections_would_end`: the request would end connections; send `endConnections` to continue.";

export const save = route({
  method: "put",
  path: "/v1/oauth-providers/{providerId}/client",
  tag,
  summary: "Save the organization's OAuth client for a provider",
  description:
    "Omitted fields keep their values, and the secret too if the client id does not change. A new secret or key of the same client does not affect connections. Another client id or tenant ends them, after a 409 that says how many.",
  access: manage,
  params,
  body: z.strictObject({
    clientId: z
      .string()
      .min(1)
      .max(500)
      .regex(/^[\x21-\x7e]+$/, "Visible characters only."),
    clientSecret: z.string().min(1).max(4000).optional(),
    tokenEndpointAuthMethod: z.enum(authMethods).optional(),
    privateKey: z
      .string()
      .max(20_000)
      .optional()
      .describe(
        "For `private_key_jwt`, in PEM. When omitted, a key is generated, and only its public half is shown.",
      ),
    keyId: z.string().min(1).max(200).optional(),
    tenant: z.string().min(1).max(200).optional(),
    scopes: scopeList.optional(),
    optionalScopes: scopeList.optional(),
    connectionMode: z.enum(connectionModes).optional(),
    endConnections: z.boolean().default(false).describe("End every connection that uses it."),
  }),
  replies: { 200: z.strictObject({ client: Client }) },
  errors: { 409: wouldEnd },
});
export type SaveClient = z.output<(typeof save)["body"]>;

const notConfigured = "`oauth_provider_not_found`, or `client_not_configured`: no client is saved.";

export const read = route({
  method: "get",
  path: "/v1/oauth-providers/{providerId}/client",
  tag,
  summary: "Read the organization's OAuth client for a provider, without its secret",
  description: "Includes the redirect URI to register at the provider.",
  access: can("oauth_clients:manage"),
  params,
  replies: { 200: z.strictObject({ client: Client }) },
  errors: { 404: notConfigured },
});

export const endConnections = z.strictObject({
  endConnections: z.enum(["true", "false"]).default("false").describe("End the connections that use it."),
});

export const remove = route({
  method: "delete",
  path: "/v1/oauth-providers/{providerId}/client",
  tag,
  summary: "Remove the organization's OAuth client for a provider",
  description: "Connections that use the client end. While there are any, `endConnections` must be `true`.",
  access: manage,
  params,
  query: endConnections,
  replies: { 204: null },
  errors: { 404: notConfigured, 409: wouldEnd },
});
