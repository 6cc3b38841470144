import { z } from "zod";
import { definePage, lineOfText, member, pageQuery, route } from "../../platform/http/index.ts";
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
      .describe("null: known once a tenant is given, or the issuer was asked."),
    tokenEndpoint: z.string().nullable(),
    revocable: z.boolean().nullable().describe("The provider can be told that a token is not used any more."),
    refresh: z.enum(["rotating", "reusable", "none"]).describe("What becomes of refresh tokens there."),
    scopes: z.array(z.string()).describe("Asked for unless the client says otherwise."),
    optionalScopes: z.array(z.string()),
    tenant: Tenant.omit({ pattern: true }).nullable().describe("What the client needs as `tenant`."),
    tokenEndpointAuthMethods: z.array(z.enum(authMethods)),
    redirectUri: z.string().describe("Register exactly this one at the provider."),
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
  summary: "Providers that accounts can be connected at",
  description: "The well-known ones and the organization's own, by id.",
  access: member(),
  query: pageQuery.extend({
    configured: z.enum(["true", "false"]).optional().describe("Only those with, or without, a client."),
  }),
  replies: { 200: definePage(Provider).meta({ id: "OauthProviderPage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/oauth-providers",
  tag,
  summary: "Add a provider of the organization's own",
  description:
    "By its issuer (OpenID Connect Discovery or RFC 8414, read when the client is saved) or by its endpoints.",
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
      .describe("Says which account it is, in the manner of OpenID Connect."),
    scopes: scopeList.default([]),
    scopeSeparator: z.enum([" ", ","]).optional(),
    authorizeParameters: z
      .record(z.string().regex(/^[\w.-]{1,100}$/), z.string().max(500))
      .optional()
      .describe("Sent along to the authorization endpoint, such as `access_type`."),
    reusableRefreshTokens: z
      .boolean()
      .optional()
      .describe("Refresh tokens stay good after use: then one may be sent again when an answer was lost."),
  }),
  replies: { 201: z.strictObject({ provider: Provider }) },
  errors: {
    409: "`provider_exists`: the id is taken, by one of the organization's own or a well-known one.",
  },
});
export type NewProvider = z.output<(typeof create)["body"]>;

export const read = route({
  method: "get",
  path: "/v1/oauth-providers/{providerId}",
  tag,
  summary: "One provider",
  description: "Its endpoints and scopes, and whether the organization has a client for it.",
  access: member(),
  params,
  replies: { 200: z.strictObject({ provider: Provider }) },
});

export const remove = route({
  method: "delete",
  path: "/v1/oauth-providers/{providerId}",
  tag,
  summary: "Remove a provider of the organization's own, and its client",
  description:
    "Providers of the catalogue cannot be removed. Connections to the provider end; while there are any, `endConnections` must be `true`.",
  access: can("oauth_clients:manage", { fresh: true }),
  params,
  query: endConnections,
  replies: { 204: null },
  errors: {
    409: "`provider_built_in`: it is not the organization's own. `connections_would_end`: send `endConnections`.",
  },
});
