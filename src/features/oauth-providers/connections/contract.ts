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
    message: z.string().describe("The meaning of the state, and what to do."),
  })
  .meta({ id: "OauthConnectionHealth" });
export type Health = z.output<typeof Health>;

const revocationStatuses = ["pending", "revoked", "not_offered", "failed", "unneeded"] as const;

export const Connection = z
  .strictObject({
    id: idSchema("ocn"),
    providerId: z.string(),
    account: z.string().describe("The label of the connection."),
    shared: z
      .boolean()
      .describe("Whether the connection belongs to the organization and is granted to members."),
    memberId: idSchema("mem")
      .nullable()
      .describe("The member who owns it. Null when it is shared, or when that member has left."),
    outsideAccount: z
      .strictObject({ subject: z.string(), name: z.string().nullable() })
      .nullable()
      .describe("The account at the provider. Null when the provider does not name it."),
    health: Health,
    scopes: z.strictObject({
      requested: z.array(z.string()),
      granted: z.array(z.string()),
      missing: z.array(z.string()).describe("Requested and not granted."),
    }),
    tokenExpiresAt: z
      .int()
      .nullable()
      .describe("When the access token expires, in milliseconds since 1970. Null when it does not expire."),
    refreshes: z.boolean().describe("A new access token can be obtained without a person."),
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
      .describe("Whether the token was revoked at the provider. Null while the connection has not ended."),
  })
  .meta({ id: "OauthConnection" });
export type Connection = z.output<typeof Connection>;

export const list = route({
  method: "get",
  path: "/v1/oauth-connections",
  tag,
  summary: "List my connections and the shared ones I may use; with `connections:manage` all connections",
  description: "Needs `connections:use` or `connections:manage`.",
  access: member(),
  query: pageQuery.extend({
    providerId: z.string().max(40).optional(),
    ended: z
      .enum(["true", "false"])
      .default("false")
      .describe("`true` for connections that have ended in the last 90 days."),
  }),
  replies: { 200: definePage(Connection).meta({ id: "OauthConnectionPage" }) },
});

export const read = route({
  method: "get",
  path: "/v1/oauth-connections/{id}",
  tag,
  summary: "Read a connection",
  description: "Includes its health, the reason, and the outside account. Tokens are never shown here.",
  access: member(),
  params,
  replies: { 200: z.strictObject({ connection: Connection }) },
  errors: { 404: "`connection_not_found`" },
});

const ConnectionUses = z
  .strictObject({
    automationCount: z.int().describe("How many automations that are not archived use the connection."),
    automations: z
      .array(
        z.strictObject({ id: idSchema("aut"), name: z.string(), status: z.enum(["active", "inactive"]) }),
      )
      .describe("Those of them that the caller may read, at most 100."),
    workerCount: z.int().describe("How many workers were assigned the connection."),
    workers: z
      .array(z.strictObject({ id: idSchema("wrk"), name: z.string() }))
      .describe("Those of them, at most 100. Empty without `workers:read`."),
  })
  .meta({ id: "OauthConnectionUses" });
export type ConnectionUses = z.output<typeof ConnectionUses>;

export const readUses = route({
  method: "get",
  path: "/v1/oauth-connections/{id}/uses",
  tag,
  summary: "Read what uses a connection",
  description:
    "The automations and workers that name it. `GET …/grants` lists who may use a shared connection.",
  access: member(),
  params,
  replies: { 200: z.strictObject({ uses: ConnectionUses }) },
  errors: { 404: "`connection_not_found`" },
});

export const end = route({
  method: "delete",
  path: "/v1/oauth-connections/{id}",
  tag,
  summary: "End a connection",
  description:
    "Ends the caller's own connection. With `connections:manage` also those of others and shared ones.",
  access: can("connections:use"),
  params,
  replies: { 204: null },
  errors: { 404: "`connection_not_found`" },
});

export const status = route({
  method: "get",
  path: "/v1/oauth-providers/{providerId}/status",
  tag: "OAuth Providers",
  summary: "List my connections to a provider, with their health",
  description: "Each connection includes its health, the reason, and the outside account.",
  access: member(),
  params: ofProvider,
  replies: {
    200: z.strictObject({
      providerId: z.string(),
      configured: z.boolean(),
      connected: z.boolean().describe("Whether at least one of them works."),
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
    "Without a body, it ends the caller's only connection. An attempt to connect that is in progress must be started again. The token is revoked at the provider as soon as possible; `revocation` shows the result.",
  access: can("connections:use"),
  params: ofProvider,
  body: z.strictObject({ connectionId: z.string().max(100).optional(), account: label.optional() }),
  bodyOptional: true,
  replies: { 200: z.strictObject({ connection: Connection }) },
  errors: {
    404: "`oauth_provider_not_found`, or `connection_not_found`: there is no connection to end.",
    409: "`account_required`: there are several connections; name one with `account`.",
  },
});

const Grants = z
  .strictObject({
    everyone: z.boolean().describe("Whether every member may use it."),
    memberIds: z.array(z.string()),
    teamIds: z
      .array(z.string())
      .describe("The members of these teams may use it, while they are in the team."),
  })
  .meta({ id: "OauthConnectionGrants" });
export type Grants = z.output<typeof Grants>;

export const readGrants = route({
  method: "get",
  path: "/v1/oauth-connections/{id}/grants",
  tag,
  summary: "List who may use a shared connection",
  description: "Returns the members and teams that may get tokens of the connection, or that everyone may.",
  access: can("connections:manage"),
  params,
  replies: { 200: z.strictObject({ grants: Grants }) },
  errors: { 404: "`connection_not_found`" },
});

export const setGrants = route({
  method: "put",
  path: "/v1/oauth-connections/{id}/grants",
  tag,
  summary: "Set who may use a shared connection",
  description:
    "Replaces the whole list: members who are not in it lose access. Takes effect with the next token request.",
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
    409: "`connection_not_shared`: it belongs to a member.",
  },
});
