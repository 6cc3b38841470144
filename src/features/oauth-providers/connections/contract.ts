import { z } from "zod";
import { definePage, lineOfText, member, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const tag = "OAuth Connections";
const params = z.strictObject({ id: z.string() });
const ofProvider = z.strictObject({ providerId: z.string() });

export const defaultLabel = "default";
/** The member's name for one of several accounts at a provider. */
export const label = lineOfText(60);

const healthStatuses = ["connected", "expiring", "needs_reconnect", "uncertain", "ended"] as const;
export const healthReasons = [
  "no_refresh",
  "provider_unavailable",
  "client_rejected",
  "revoked_at_provider",
  "expired",
  "refresh_uncertain",
  "disconnected",
  "client_changed",
  "member_removed",
] as const;
export type HealthReason = (typeof healthReasons)[number];

const Health = z
  .strictObject({
    status: z.enum(healthStatuses),
    reason: z.enum(healthReasons).nullable(),
    message: z.string().describe("What that means, and what to do about it."),
  })
  .meta({ id: "OauthConnectionHealth" });
export type Health = z.output<typeof Health>;

const revocationStatuses = ["pending", "revoked", "not_offered", "failed", "unneeded"] as const;

export const Connection = z
  .strictObject({
    id: idSchema("ocn"),
    providerId: z.string(),
    account: z.string().describe("The label it was made under."),
    shared: z.boolean().describe("The organization's, for those who were given it."),
    memberId: idSchema("mem").nullable().describe("Whose it is; null: shared, or of a member who has left."),
    outsideAccount: z
      .strictObject({ subject: z.string(), name: z.string().nullable() })
      .nullable()
      .describe("Which account at the provider; null: it does not say."),
    health: Health,
    scopes: z.strictObject({
      requested: z.array(z.string()),
      granted: z.array(z.string()),
      missing: z.array(z.string()).describe("Requested and not granted."),
    }),
    tokenExpiresAt: z.int().nullable().describe("Of the access token at hand; null: it does not expire."),
    refreshes: z.boolean().describe("A new access token is got without anybody's help."),
    lastUsedAt: z.int(),
    connectedBy: z.string(),
    connectedAt: z.int(),
    endedAt: z.int().nullable(),
    revocation: z
      .strictObject({
        status: z.enum(revocationStatuses),
        attempts: z.int(),
        message: z.string(),
        at: z.int().nullable(),
      })
      .nullable()
      .describe("Once it has ended: whether the provider was told."),
  })
  .meta({ id: "OauthConnection" });
export type Connection = z.output<typeof Connection>;

export const list = route({
  method: "get",
  path: "/v1/oauth-connections",
  tag,
  summary: "My connections and the shared ones I may use; everyone's with `connections:manage`",
  description: "Needs `connections:use` or `connections:manage`.",
  access: member(),
  query: pageQuery.extend({
    providerId: z.string().max(40).optional(),
    ended: z.enum(["true", "false"]).default("false").describe("`true`: those that have ended, for 90 days."),
  }),
  replies: { 200: definePage(Connection).meta({ id: "OauthConnectionPage" }) },
});

export const read = route({
  method: "get",
  path: "/v1/oauth-connections/{id}",
  tag,
  summary: "One connection",
  description: "Includes its health, the reason, and the outside account. Tokens are never shown here.",
  access: member(),
  params,
  replies: { 200: z.strictObject({ connection: Connection }) },
  errors: { 404: "`connection_not_found`" },
});

export const end = route({
  method: "delete",
  path: "/v1/oauth-connections/{id}",
  tag,
  summary: "End a connection",
  description: "One's own; everyone's and the shared ones with `connections:manage`.",
  access: can("connections:use"),
  params,
  replies: { 204: null },
  errors: { 404: "`connection_not_found`" },
});

export const status = route({
  method: "get",
  path: "/v1/oauth-providers/{providerId}/status",
  tag: "OAuth Providers",
  summary: "My connections to a provider, and how they are",
  description: "Each connection includes its health, the reason, and the outside account.",
  access: member(),
  params: ofProvider,
  replies: {
    200: z.strictObject({
      providerId: z.string(),
      configured: z.boolean(),
      connected: z.boolean().describe("At least one of them works."),
      connections: z.array(Connection),
    }),
  },
});

export const disconnect = route({
  method: "post",
  path: "/v1/oauth-providers/{providerId}/disconnect",
  tag: "OAuth Providers",
  summary: "End my connection to a provider",
  description:
    "Without a body: the only one there is. Whoever is on the way to the provider at this moment starts again. The provider is told as soon as possible; `revocation` says how that went.",
  access: can("connections:use"),
  params: ofProvider,
  body: z.strictObject({ connectionId: z.string().max(100).optional(), account: label.optional() }),
  bodyOptional: true,
  replies: { 200: z.strictObject({ connection: Connection }) },
  errors: {
    404: "`oauth_provider_not_found`, or `connection_not_found`: there is none to end.",
    409: "`account_required`: there are several; say which.",
  },
});

const Grants = z
  .strictObject({
    everyone: z.boolean().describe("Every member may use it."),
    memberIds: z.array(z.string()),
    teamIds: z.array(z.string()).describe("Whoever is in one of these teams may use it, while they are."),
  })
  .meta({ id: "OauthConnectionGrants" });
export type Grants = z.output<typeof Grants>;

export const readGrants = route({
  method: "get",
  path: "/v1/oauth-connections/{id}/grants",
  tag,
  summary: "Who may use a shared connection",
  description: "The members and teams who may get a token from it, or everyone.",
  access: can("connections:manage"),
  params,
  replies: { 200: z.strictObject({ grants: Grants }) },
  errors: { 404: "`connection_not_found`" },
});

export const setGrants = route({
  method: "put",
  path: "/v1/oauth-connections/{id}/grants",
  tag,
  summary: "Say who may use a shared connection",
  description:
    "The whole list: who is not in it may not. Takes effect with the next token that is asked for.",
  access: can("connections:manage"),
  params,
  body: z.strictObject({
    everyone: z.boolean(),
    memberIds: z.array(z.string().max(100)).max(1000),
    teamIds: z.array(z.string().max(100)).max(100).default([]),
  }),
  replies: { 200: z.strictObject({ grants: Grants }) },
  errors: {
    404: "`connection_not_found`",
    409: "`connection_not_shared`: it is a member's own.",
  },
});
