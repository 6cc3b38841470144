import { z } from "zod";
import { definePage, lineOfText, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { endpoint } from "../../../platform/oauth/index.ts";
import { can } from "../../permissions/index.ts";
import { samlFields, samlSettings } from "./saml-contract.ts";

const tag = "SSO connectors";
export const manage = can("sso:manage", { fresh: true });

const GroupMapping = z
  .strictObject({
    group: lineOfText(256).describe("The name or id of the group, exactly as the provider sends it."),
    role: z
      .string()
      .min(1)
      .max(60)
      .optional()
      .describe(
        "The role that people of the group get. The first mapping that matches decides. Never `owner`.",
      ),
    teamId: z.string().min(1).max(60).optional().describe("The team that people of the group join."),
  })
  .meta({ id: "SsoGroupMapping" });
export type GroupMapping = z.output<typeof GroupMapping>;

const groupMappings = z
  .array(GroupMapping)
  .max(200)
  .describe(
    "Applied at each sign-in. Roles and teams that came from a mapping end with the group; those that people gave stay.",
  );

const Claims = z
  .strictObject({
    email: z.string().min(1).max(200).default("email"),
    name: z.string().min(1).max(200).default("name"),
    groups: z.string().min(1).max(200).default("groups"),
  })
  .meta({ id: "SsoClaims" });

const Endpoints = z
  .strictObject({
    authorizationEndpoint: endpoint,
    tokenEndpoint: endpoint,
    jwksUri: endpoint.describe("Where the keys are that sign ID tokens."),
    userinfoEndpoint: endpoint.optional(),
  })
  .meta({ id: "SsoEndpoints" });

const tokenEndpointAuthMethod = z.enum(["client_secret_basic", "client_secret_post", "none"]);

const Health = z
  .strictObject({
    lastSignInAt: z.int().nullable(),
    lastErrorAt: z.int().nullable(),
    lastErrorCode: z.string().nullable(),
    lastError: z.string().nullable(),
    signIns: z.int().describe("How many sign-ins succeeded."),
    failures: z.int().describe("How many sign-ins were refused."),
    certificateEndsAt: z
      .int()
      .nullable()
      .describe("When the last certificate of a SAML provider ends. Null for OpenID Connect."),
    certificateState: z
      .enum(["valid", "ends_soon", "ended"])
      .nullable()
      .describe(
        "`ends_soon`: within 30 days. `ended`: sign-ins still work, because SAML uses only the key. Null for OpenID Connect.",
      ),
  })
  .meta({ id: "SsoHealth" });

const shared = {
  id: idSchema("sso"),
  name: z.string(),
  enabled: z.boolean().describe("A disabled connector signs nobody in; its sessions ended."),
  startUrl: z.string().describe("Opens a sign-in in a browser."),
  defaultRole: z.string().describe("The role of people who sign in for the first time."),
  groupMappings: z.array(GroupMapping),
  createsMembers: z.boolean().describe("Whether people who are no members yet become members."),
  testedAt: z
    .int()
    .nullable()
    .describe(
      "When somebody last tested it by signing in as themselves. A change of the connection empties it.",
    ),
  testedByUserId: z.string().nullable(),
  health: Health,
  createdAt: z.int(),
  updatedAt: z.int(),
};

const OidcConnector = z
  .strictObject({
    ...shared,
    kind: z.literal("oidc"),
    issuer: z.string(),
    endpoints: Endpoints.nullable().describe("Null: the issuer's metadata tells them."),
    clientId: z.string(),
    hasClientSecret: z.boolean().describe("The secret itself is never shown again."),
    earlierSecretUntil: z
      .int()
      .nullable()
      .describe("Until when the earlier secret is tried, if the provider refuses the new one."),
    tokenEndpointAuthMethod: tokenEndpointAuthMethod.nullable().describe("Null: as the metadata allows."),
    scopes: z.array(z.string()),
    claims: Claims,
    redirectUri: z.string().describe("Register exactly this one at the provider."),
  })
  .meta({ id: "SsoOidcConnector" });

const SamlConnector = z.strictObject({ ...shared, ...samlFields }).meta({ id: "SsoSamlConnector" });

export const SsoConnector = z
  .discriminatedUnion("kind", [OidcConnector, SamlConnector])
  .meta({ id: "SsoConnector" });
export type SsoConnector = z.output<typeof SsoConnector>;

export const one = z.strictObject({ connector: SsoConnector });
export const params = z.strictObject({ id: z.string() });
export const notFoundError = "`sso_connector_not_found`";

export const rules = {
  defaultRole: z.string().min(1).max(60).optional().describe("Default `member`. Never `owner`."),
  groupMappings: groupMappings.optional(),
  createsMembers: z.boolean().optional().describe("Default true."),
};

const clientId = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, "Visible characters only.");
const clientSecret = z.string().min(1).max(4000);
const scopes = z
  .array(
    z
      .string()
      .max(300)
      .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "A scope has visible characters only."),
  )
  .max(30)
  .describe("`openid` is always asked for. Default: `openid`, `email`, `profile`.");

export const createOidc = route({
  method: "post",
  path: "/v1/sso/oidc",
  tag,
  summary: "Set up single sign-on with OpenID Connect",
  description:
    "Register `redirectUri` of the reply at the provider. The provider is asked for its metadata at the first sign-in, so test one with `POST /v1/sso/{id}/test` now.",
  access: manage,
  body: z.strictObject({
    name: lineOfText(120),
    issuer: endpoint.describe("The issuer, exactly as the provider's metadata names it."),
    endpoints: Endpoints.optional().describe("For a provider without metadata."),
    clientId,
    clientSecret: clientSecret.optional().describe("Left out: a public client, protected by PKCE alone."),
    tokenEndpointAuthMethod: tokenEndpointAuthMethod.optional(),
    scopes: scopes.optional(),
    claims: Claims.partial()
      .optional()
      .describe("The names of the claims that contain the address, the name and the groups."),
    ...rules,
  }),
  replies: { 201: one },
});
export type NewOidc = z.output<(typeof createOidc)["body"]>;

export const list = route({
  method: "get",
  path: "/v1/sso",
  tag,
  summary: "The organization's single sign-on connectors",
  description: "Newest first, with the health of each. Secrets are never shown.",
  access: can("sso:read"),
  query: pageQuery,
  replies: { 200: definePage(SsoConnector).meta({ id: "SsoConnectorPage" }) },
});

export const read = route({
  method: "get",
  path: "/v1/sso/{id}",
  tag,
  summary: "One single sign-on connector",
  description: "With its health, and whether it was tested since its last change.",
  access: can("sso:read"),
  params,
  replies: { 200: one },
  errors: { 404: notFoundError },
});

const inUseError =
  "`sso_required`: the organization requires single sign-on, and this is the last enabled connector. Stop requiring it first.";

export const change = route({
  method: "patch",
  path: "/v1/sso/{id}",
  tag,
  summary: "Change a single sign-on connector",
  description:
    "Fields that are left out stay as they are. The issuer or entity id of the provider cannot be changed: another provider names other people, so make another connector. Fields of the other kind of connector are refused. New endpoints need the client secret again, because it is sent there. Disabling ends the connector's sessions.",
  access: manage,
  params,
  body: z.strictObject({
    name: lineOfText(120).optional(),
    enabled: z.boolean().optional(),
    endpoints: Endpoints.nullable().optional(),
    clientId: clientId.optional(),
    clientSecret: clientSecret.optional().describe("Replaces the secret at once."),
    tokenEndpointAuthMethod: tokenEndpointAuthMethod.nullable().optional(),
    scopes: scopes.optional(),
    claims: Claims.partial().optional(),
    ...samlSettings,
    ...rules,
  }),
  replies: { 200: one },
  errors: { 404: notFoundError, 409: inUseError },
});
export type Change = z.output<(typeof change)["body"]>;

export const rotateSecret = route({
  method: "post",
  path: "/v1/sso/{id}/client-secret",
  tag,
  summary: "Give an OpenID Connect connector a new client secret",
  description:
    "For 24 hours the earlier secret is tried when the provider refuses the new one, so both sides need not change at the same moment.",
  access: manage,
  params,
  body: z.strictObject({ clientSecret }),
  replies: { 200: one },
  errors: { 404: notFoundError },
});

export const remove = route({
  method: "delete",
  path: "/v1/sso/{id}",
  tag,
  summary: "Remove a single sign-on connector",
  description:
    "Its sessions end at once, and its links between people and the provider are forgotten. Members, their roles and teams stay.",
  access: manage,
  params,
  replies: { 204: null },
  errors: { 404: notFoundError, 409: inUseError },
});
