import { z } from "zod";
import { pageOf, pageQuery, route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

export const eventTypes = [
  "connected",
  "connect_refused",
  "token_issued",
  "refreshed",
  "refresh_failed",
  "reconnect_needed",
  "uncertain",
  "disconnected",
  "revoked",
  "revoke_failed",
  "access_changed",
  "client_saved",
  "client_removed",
  "provider_added",
  "provider_removed",
] as const;
export type EventType = (typeof eventTypes)[number];

const ConnectionEvent = z
  .strictObject({
    id: z.string(),
    type: z.enum(eventTypes),
    memberId: z.string().nullable().describe("Who; null: the service itself."),
    credential: z.string().nullable().describe("With what: `session`, `key`, `runner`, `run`."),
    credentialId: z.string().nullable().describe("Of the credential; with `run`, the run."),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    detail: z
      .record(z.string(), z.unknown())
      .describe(
        "What else is known; of a token that a run got, `holder`: the runner or member that had the run.",
      ),
    createdAt: z.int(),
  })
  .meta({ id: "OauthConnectionEvent" });
export type ConnectionEvent = z.output<typeof ConnectionEvent>;

export const list = route({
  method: "get",
  path: "/v1/oauth-connections/{id}/events",
  tag: "OAuth Connections",
  summary: "What happened to a connection, and who got a token from it",
  description: "Newest first: connected, refreshed, used, ended.",
  access: can("connections:use"),
  params: z.strictObject({ id: z.string() }),
  query: pageQuery,
  replies: { 200: pageOf(ConnectionEvent).meta({ id: "OauthConnectionEventPage" }) },
  errors: { 404: "`connection_not_found`" },
});
