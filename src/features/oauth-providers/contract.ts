import { z } from "zod";
import { definePage, lineOfText, member, pageQuery, recordOf, route } from "../../platform/http/index.ts";
import { authMethods, endpoint } from "../../platform/oauth/index.ts";
import { can } from "../permissions/index.ts";
import { Tenant } from "./catalogue/index.ts";
import { connectionModes, endConnections, scopeList } from "./clients/index.ts";

const tag = "OAuth Providers";
const params = z.strictObject({ providerId: z.string() });

const Provider = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    documentation: z.string().nullable().describe("Where the provider says how to register a client."),
    custom: z.boolean().describe("Added by this organization."),
    issuer: z.string().nullable(),
    authorizationEndpoint: z
      .string()
      .nullable()
      .describe("Null until a tenant is given, or until the issuer's metadata was read."),
    tokenEndpoint: z.string().nullable(),
    revocable: z.boolean().nullable().describe("Whether tokens can be revoked at the provider."),
    refresh: z.enum(["rotating", "reusable", "none"]).describe("How the provider handles refresh tokens."),
    scopes: z.array(z.string()).describe("Requested by default. The client can replace them."),
    optionalScopes: z.array(z.string()),
    tenant: Tenant.omit({ pattern: true }).nullable().describe("The `tenant` that the client needs."),
    tokenEndpointAuthMethods: z.array(z.enum(authMethods)),
    redirectUri: z.string().describe("The redirect URI. Register exactly this value at the provider."),
    configured: z.boolean().describe("The organization has saved a client."),
    connectionMode: z.enum(connectionModes).nullable(),
    connections: z.int().describe("How many working connections the caller can use."),
  })
  .meta({ id: "OauthProvider" });
export type Provider = z.output<typeof Provider>;

export const list = route({
  method: "get",
  path: "/v1/oauth-providers",
  tag,
  summary: "List the providers",
  description: "Lists the providers of the catalogue and the custom ones, by id.",
  access: member(),
  query: pageQuery.extend({
    configured: z.enum(["true", "false"]).optional().describe("Only providers with, or without, a client."),
  }),
  replies: { 200: definePage(Provider).meta({ id: "OauthProviderPage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/oauth-providers",
  tag,
  summary: "Add a custom provider",
  description:
    "A provider is defined by its issuer (OpenID Connect Discovery or RFC 8414, read when the client is saved) or by its endpoints.",
  access: can("oauth_clients:manage", { fresh: true }),
  body: z.strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{1,39}$/, "2 to 40 of a–z, 0–9 and -, beginning with a letter or digit."),
    name: lineOfText(60),
    issuer: endpoint.optional(),
    authorizationEndpoint: endpoint.optional(),
    tokenEndpoint: endpoint.optional(),
    revocationEndpoint: endpoint.optional(),
    userinfoEndpoint: endpoint
      .optional()
      .describe("The address that returns the account, as in OpenID Connect."),
    scopes: scopeList.default([]),
    scopeSeparator: z.enum([" ", ","]).optional(),
    authorizeParameters: recordOf(z.string().regex(/^[\w.-]{1,100}$/), z.string().max(500), 100, "parameters")
      .optional()
      .describe("Additional parameters for the authorization endpoint, such as `access_type`."),
    reusableRefreshTokens: z
      .boolean()
      .optional()
      .describe(
        "Whether refresh tokens stay valid after use. Then one can be sent again when a reply was lost.",
      ),
  }),
  replies: { 201: z.strictObject({ provider: Provider }) },
  errors: {
    409: "`provider_exists`: a custom provider or a provider of the catalogue has this id.",
  },
});
export type NewProvider = z.output<(typeof create)["body"]>;

export const read = route({
  method: "get",
  path: "/v1/oauth-providers/{providerId}",
  tag,
  summary: "Read a provider",
  description: "Its endpoints and scopes, and whether the organization has a client for it.",
  access: member(),
  params,
  replies: { 200: z.strictObject({ provider: Provider }) },
});

export const remove = route({
  method: "delete",
  path: "/v1/oauth-providers/{providerId}",
  tag,
  summary: "Remove a custom provider and its client",
  description:
    "Providers of the catalogue cannot be removed. Connections to the provider end; while there are any, `endConnections` must be `true`.",
  access: can("oauth_clients:manage", { fresh: true }),
  params,
  query: endConnections,
  replies: { 204: null },
  errors: {
    409: "`provider_built_in`: it is not a custom provider. `connections_would_end`: send `endConnections`.",
  },
});
