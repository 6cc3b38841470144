import { z } from "zod";
import { definePage, lineOfText, pageQuery, route } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { can } from "../permissions/index.ts";
import { Discovery, EvidenceItem, targetUrl } from "./discovery/index.ts";
import { headerMap, secretText } from "./input.ts";
import { Access, credentialKinds, Limits, NewAccess, Policy, registrations } from "./model.ts";

const tag = "MCP Connections";
const manage = can("mcp_connections:manage");
const use = can("mcp_connections:use");
const params = z.strictObject({ id: z.string().min(1).max(160) });
const errors = { 404: "`mcp_connection_not_found`" };

const statuses = [
  "connected",
  "tools_held",
  "not_connected",
  "needs_consent",
  "sign_in",
  "no_answer",
  "off",
] as const;
const memberStates = ["connected", "not_connected", "sign_in", "needs_consent", "not_needed"] as const;

const at = (text: string) => z.int().describe(`${text} In milliseconds since 1970.`);

const VerdictDrift = z
  .strictObject({
    field: z.string().describe("The field of the verdict that changed, such as `issuer` or `scopes`."),
    before: z.string().nullable().describe("The accepted value. Null: there was none."),
    after: z.string().nullable().describe("The value that was seen. Null: there is none."),
    seenAt: at("When the change was first seen."),
  })
  .meta({ id: "McpVerdictDrift" });
export type VerdictDrift = z.output<typeof VerdictDrift>;

const summary = {
  id: idSchema("mcn"),
  name: z.string().describe("The name that people see."),
  slug: z
    .string()
    .describe("The prefix of its tools at `/mcp`. It never changes, because agents remember the names."),
  url: z
    .string()
    .describe("Where the server answers. Text that looks like a credential is replaced by [redacted]."),
  credential: z
    .enum(credentialKinds)
    .describe("`shared`: one credential for everybody. `per_member`: each member connects an account."),
  registration: z
    .enum(registrations)
    .describe("How this instance is known to the authorization server, or that a fixed credential is sent."),
  enabled: z.boolean().describe("False: nobody can use it."),
  status: z
    .enum(statuses)
    .describe("The state for the caller. When several apply, the one that must be solved first."),
  problem: z
    .strictObject({
      step: z.string().describe("The step of the last check that failed."),
      code: z.string().describe("Why it failed, for programs."),
      message: z.string().describe("Why it failed, and what to do."),
      since: at("Since when it fails."),
    })
    .nullable()
    .describe("What failed at the last check. Null: nothing."),
  toolCount: z.int().describe("How many tools the server has."),
  heldTools: z.int().describe("How many of them cannot be called until a person approves their change."),
  protocolVersion: z.string().nullable().describe("The MCP revision of the last session."),
  authorizationServer: z.string().nullable().describe("The issuer that members sign in at."),
  scopes: z.array(z.string()).describe("The scopes that every account is asked for."),
  mine: z
    .strictObject({
      state: z.enum(memberStates).describe("The state of the caller's own credential."),
      missingScopes: z.array(z.string()).describe("For `needs_consent`: the scopes to consent to."),
      account: z.string().nullable().describe("The caller's account at the server, if it is known."),
      since: z.int().nullable().describe("Since when it is in this state. In milliseconds since 1970."),
      mayUse: z.boolean().describe("Whether the caller was granted the connection."),
    })
    .describe("The connection as it is for the caller."),
  people: z
    .strictObject({
      granted: z.int().nullable().describe("How many members may use it. Null: everybody."),
      connected: z.int().describe("How many members have a working credential of their own."),
      needCare: z.int().describe("How many must sign in again or consent to more."),
    })
    .nullable()
    .describe("Null without `mcp_connections:manage`."),
  callsLastDay: z
    .int()
    .describe("How many calls were made in the last 24 hours. 1,000 stands for 1,000 or more."),
  verdictStatus: Discovery.shape.status.describe("The status of the verdict."),
  verdictDrift: z
    .array(VerdictDrift)
    .describe("What changed at the server since a person accepted the verdict."),
  discoveredAt: at("When the server was last discovered."),
  checkedAt: z.int().nullable().describe("When it was last checked. In milliseconds since 1970."),
  createdBy: idSchema("mem").nullable().describe("The member who saved it. Null when that member has left."),
  createdAt: z.int(),
  updatedAt: z.int(),
};

export const McpConnection = z.strictObject(summary).meta({ id: "McpConnection" });
export type McpConnection = z.output<typeof McpConnection>;

export const McpConnectionDetail = z
  .strictObject({
    ...summary,
    verdict: Discovery.describe("What discovery found out, as a person accepted it."),
    evidence: z.array(EvidenceItem).describe("The requests of that discovery, in their order."),
    resource: z.string().nullable().describe("The resource that tokens are requested for (RFC 8707)."),
    clientId: z.string().nullable().describe("The id of this instance at the authorization server."),
    redirectUri: z.string().nullable().describe("Where the authorization server sends members back to."),
    policy: Policy.describe("Which tools may be called, and what happens when they change."),
    limits: Limits.describe("How much may be called, and how large."),
    access: Access.nullable().describe("Who may use it. Null without `mcp_connections:manage`."),
    logPayloads: z.boolean().describe("Whether arguments and results of calls are kept."),
    payloadDays: z.int().describe("For how many days they are kept."),
  })
  .meta({ id: "McpConnectionDetail" });
export type McpConnectionDetail = z.output<typeof McpConnectionDetail>;

const one = z.strictObject({ connection: McpConnectionDetail.describe("The connection.") });

const listQuery = pageQuery.extend({
  status: z.enum(statuses).optional().describe("Only connections in this state."),
});

export const list = route({
  method: "get",
  path: "/v1/mcp-connections",
  tag,
  summary: "List MCP connections",
  description:
    "Newest first. Lists the connections that the caller may use, or with `mcp_connections:manage` all of them.",
  access: use,
  query: listQuery,
  replies: { 200: definePage(McpConnection).meta({ id: "McpConnectionPage" }) },
});

const name = lineOfText(80);
const scopes = z
  .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/, "Visible characters, without quotes."))
  .max(100)
  .transform((given) => [...new Set(given)]);

const ChoiceRequired = z
  .strictObject({
    error: z.literal("mcp_choice_required"),
    message: z.string(),
    choices: z
      .strictObject({
        recommended: z.enum(registrations).nullable().describe("The way to choose, if there is one."),
        registrations: z
          .array(
            z.strictObject({
              registration: z.enum(registrations).describe("The way to register."),
              available: z.boolean().describe("Whether the server and this instance allow it."),
              missing: z.array(z.string()).describe("The fields of the request that it needs."),
              note: z.string().describe("What it means, or why it is not available."),
            }),
          )
          .describe("The ways to register."),
        authorizationServers: z
          .array(z.string())
          .describe("The issuers to choose from, for `authorizationServer`."),
        scopes: z.array(z.string()).describe("The scopes that would be requested."),
        verdict: Discovery.describe("What discovery found out."),
      })
      .describe("What a person decides before the connection can be saved."),
  })
  .meta({ id: "McpChoiceRequired" });
export type Choices = z.output<typeof ChoiceRequired>["choices"];

export const create = route({
  method: "post",
  path: "/v1/mcp-connections",
  tag,
  summary: "Save an MCP connection",
  description:
    "Discovers the server, or takes the verdict `discoveryId` if it is not older than an hour, and saves the connection. Without `registration` the recommended way is taken when no person has to decide anything; otherwise the reply is 409 `mcp_choice_required` with the choices, and nothing is saved. Secrets are stored sealed and never shown again. Without `access` only the caller may use it.",
  access: manage,
  body: z.strictObject({
    url: targetUrl,
    name: name.optional().describe("The name that people see. Default: the name of the server's host."),
    credential: z.enum(credentialKinds).default("per_member"),
    registration: z
      .enum(registrations)
      .optional()
      .describe("How to register. Needed for a server that cannot be reached now."),
    authorizationServer: z
      .string()
      .max(2048)
      .optional()
      .describe("The issuer, when the server names several."),
    clientId: z
      .string()
      .regex(/^[\x21-\x7e]{1,500}$/, "Visible characters only.")
      .optional()
      .describe("For `pre_registered`."),
    clientSecret: z.string().min(1).max(4000).optional().describe("For `pre_registered`, if there is one."),
    bearerToken: secretText.optional().describe("For `bearer`: the token to send. Shared credentials only."),
    headers: headerMap.optional(),
    scopes: scopes.optional().describe("Default: the scopes that discovery recommends."),
    access: NewAccess.optional(),
    discoveryId: z
      .string()
      .max(160)
      .optional()
      .describe("A kept verdict of this URL, not older than an hour. The server is not discovered again."),
  }),
  replies: { 201: one },
  errors: {
    409: {
      description:
        "`mcp_choice_required`: a person must decide something first. `mcp_registration_failed`: the authorization server did not register this instance; `reason` says why. `mcp_server_unsupported`: the server speaks the HTTP+SSE transport of 2024, which cannot be connected.",
      schema: z.union([
        ChoiceRequired,
        z
          .strictObject({ error: z.literal("mcp_server_unsupported"), message: z.string() })
          .meta({ id: "McpServerUnsupported" }),
        z
          .strictObject({
            error: z.literal("mcp_registration_failed"),
            message: z.string(),
            reason: z.string().describe("The code of the authorization server, or of this instance."),
          })
          .meta({ id: "McpRegistrationFailed" }),
      ]),
    },
    502: "`requirements_discovery_failed`: discovery itself failed, before anything could be said.",
  },
});
export type NewConnection = z.output<(typeof create)["body"]>;

export const read = route({
  method: "get",
  path: "/v1/mcp-connections/{id}",
  tag,
  summary: "Read an MCP connection",
  description: "With its verdict, policy, limits and access. Without its secrets.",
  access: use,
  params,
  replies: { 200: one },
  errors,
});

export const change = route({
  method: "patch",
  path: "/v1/mcp-connections/{id}",
  tag,
  summary: "Change an MCP connection",
  description:
    "Omitted fields do not change. The address and the way to register do not change: credentials are bound to them. Save a new connection instead.",
  access: manage,
  params,
  body: z
    .strictObject({
      name,
      enabled: z.boolean(),
      scopes: scopes.describe("Members consent to new scopes when they connect the next time."),
      limits: Limits.partial().describe("The limits to change."),
      logPayloads: z.boolean().describe("Whether arguments and results of calls are kept."),
      payloadDays: z.int().min(1).max(90).describe("For how many days they are kept."),
    })
    .partial(),
  replies: { 200: one },
  errors,
});
export type ConnectionChange = z.output<(typeof change)["body"]>;

export const remove = route({
  method: "delete",
  path: "/v1/mcp-connections/{id}",
  tag,
  summary: "Delete an MCP connection",
  description:
    "Tokens are revoked and the registered client is removed at the authorization server, as soon as possible.",
  access: manage,
  params,
  replies: { 204: null },
  errors,
});
