import { z } from "zod";
import { lineOfText, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const tag = "SCIM connectors";

export const GroupMapping = z
  .strictObject({
    group: z
      .string()
      .trim()
      .min(1)
      .max(512)
      .describe("The `displayName` of a group of the directory, in any case, or its `externalId`."),
    role: z
      .string()
      .min(1)
      .max(60)
      .optional()
      .describe(
        "The role of the group's members. Never `owner`. The first mapping that gives a role decides.",
      ),
    teamId: idSchema("team").optional().describe("The team that the group's members are in."),
  })
  .refine(({ role, teamId }) => role !== undefined || teamId !== undefined, {
    message: "Name a role, a team, or both.",
  })
  .meta({ id: "ScimGroupMapping" });
export type GroupMapping = z.output<typeof GroupMapping>;

const ScimToken = z
  .strictObject({
    id: idSchema("sct"),
    start: z.string().describe("The first letters of the token, to tell tokens apart."),
    expiresAt: z.int().nullable().describe("Null: valid until it is rotated."),
    lastUsedAt: z.int().nullable().describe("To within some seconds."),
    createdAt: z.int(),
  })
  .meta({ id: "ScimToken" });
export type ScimToken = z.output<typeof ScimToken>;

const ScimHealth = z
  .strictObject({
    status: z
      .enum(["never_called", "working", "failing", "disabled"])
      .describe("`failing`: the latest call was refused or failed."),
    lastCallAt: z.int().nullable().describe("When the directory last called."),
    lastErrorAt: z.int().nullable(),
    lastError: z.string().nullable().describe("What the directory was told at its latest error."),
    calls: z.int().describe("Calls since the connector was created."),
    errors: z.int().describe("Calls that were refused or failed."),
    users: z.int().describe("Users that the directory has created."),
    activeUsers: z.int().describe("Users who are active. A member whom an admin deactivated is not."),
    linkedUsers: z.int().describe("Users who are members of the organization."),
    groups: z.int(),
  })
  .meta({ id: "ScimHealth" });

export const ScimConnector = z
  .strictObject({
    id: idSchema("scm"),
    name: z.string(),
    enabled: z.boolean().describe("While it is disabled, every call of the directory is refused."),
    defaultRole: z.string().describe("The role of members without a mapped role."),
    groupMappings: z.array(GroupMapping),
    tokens: z.array(ScimToken).describe("Tokens that are valid now, newest first."),
    health: ScimHealth,
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "ScimConnector" });
export type ScimConnector = z.output<typeof ScimConnector>;

const baseUrl = z.string().describe("The address to enter in the directory.");
const one = { 200: z.strictObject({ connector: ScimConnector, baseUrl }) };
const notConnected = { 404: "`scim_connector_not_found`: create one with `POST /v1/scim/token`." };

export const read = route({
  method: "get",
  path: "/v1/scim",
  tag,
  summary: "The directory that manages the organization",
  description: "The SCIM connector with its health. `connector` is null when there is none.",
  access: can("scim:read"),
  replies: { 200: z.strictObject({ connector: ScimConnector.nullable(), baseUrl }) },
});

export const createToken = route({
  method: "post",
  path: "/v1/scim/token",
  tag,
  summary: "Connect a directory, or rotate its token",
  description:
    "The first call creates the connector. Each further call creates another token; earlier tokens work for 24 more hours. The token is shown in this reply and never again.",
  access: can("scim:manage", { fresh: true }),
  body: z.strictObject({
    name: lineOfText(120).optional().describe("What people call the directory."),
    endEarlierTokens: z
      .boolean()
      .default(false)
      .describe("Ends earlier tokens at once, for a token that somebody else may know."),
  }),
  bodyOptional: true,
  replies: { 201: z.strictObject({ connector: ScimConnector, token: z.string(), baseUrl }) },
});

export const change = route({
  method: "patch",
  path: "/v1/scim",
  tag,
  summary: "Change the connector",
  description:
    "Rename, enable or disable it, and set what groups give. Mappings are applied to all members at once. You cannot name a role with permissions that you do not have, and no mapping makes an owner.",
  access: can("scim:manage", { fresh: true }),
  body: z.strictObject({
    name: lineOfText(120).optional(),
    enabled: z.boolean().optional(),
    defaultRole: z
      .string()
      .min(1)
      .max(60)
      .optional()
      .describe("The role of members without a mapped role. Never `owner`."),
    groupMappings: z.array(GroupMapping).max(500).optional(),
  }),
  replies: one,
  errors: notConnected,
});

export const remove = route({
  method: "delete",
  path: "/v1/scim",
  tag,
  summary: "Remove the connector",
  description:
    "Its tokens end at once, and its users and groups are deleted. Members stay as they are, with their roles and teams, and are managed here from then on. Deactivated members stay deactivated.",
  access: can("scim:manage", { fresh: true }),
  replies: { 204: null },
  errors: notConnected,
});
