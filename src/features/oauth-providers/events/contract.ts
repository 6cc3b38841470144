import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
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
    id: idSchema("oce"),
    type: z.enum(eventTypes),
    memberId: idSchema("mem").nullable().describe("The member or user. Null when the service itself acted."),
    credential: z
      .string()
      .nullable()
      .describe("The kind of credential: `session`, `key`, `runner` or `run`."),
    credentialId: z.string().nullable().describe("The id of the credential. For `run`, the id of the run."),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    detail: z
      .record(z.string(), z.unknown())
      .describe(
        "More details. For a token that was issued to a run, `holder` is the runner or member that held the run.",
      ),
    createdAt: z.int(),
  })
  .meta({ id: "OauthConnectionEvent" });
export type ConnectionEvent = z.output<typeof ConnectionEvent>;

export const list = route({
  method: "get",
  path: "/v1/oauth-connections/{id}/events",
  tag: "OAuth Connections",
  summary: "List the events of a connection, including issued tokens",
  description: "Newest first: connected, refreshed, used, ended.",
  access: can("connections:use"),
  params: z.strictObject({ id: z.string() }),
  query: pageQuery,
  replies: { 200: definePage(ConnectionEvent).meta({ id: "OauthConnectionEventPage" }) },
  errors: { 404: "`connection_not_found`" },
});
