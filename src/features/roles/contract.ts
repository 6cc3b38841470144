import { z } from "zod";
import { definePage, lineOfText, pageQuery, route } from "../../platform/http/index.ts";
import { builtInRoles, can, permissions } from "../permissions/index.ts";

const tag = "Roles";

const PermissionInfo = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    roles: z.array(z.enum(builtInRoles)).describe("The built-in roles that have it."),
  })
  .meta({ id: "Permission" });

export const listPermissions = route({
  method: "get",
  path: "/v1/permissions",
  tag,
  summary: "Everything that can be allowed, and which built-in roles allow it",
  description: "The permission names that roles and API keys use.",
  access: can("members:read"),
  replies: {
    200: z.strictObject({ items: z.array(PermissionInfo), nextCursor: z.null() }).meta({ id: "Permissions" }),
  },
});

const Role = z
  .strictObject({
    id: z.string().describe("What a member's `role` says: `owner`, `admin`, `member`, or `role_…`."),
    name: z.string(),
    description: z.string(),
    permissions: z.array(z.string()),
    builtIn: z.boolean(),
    memberCount: z.int(),
    createdAt: z.int().nullable(),
    updatedAt: z.int().nullable(),
  })
  .meta({ id: "Role" });
export type Role = z.output<typeof Role>;

export const list = route({
  method: "get",
  path: "/v1/roles",
  tag,
  summary: "The roles of the organization: its own, newest first, then the built-in ones",
  description: "Each with its permissions and how many members have it.",
  access: can("members:read"),
  query: pageQuery,
  replies: { 200: definePage(Role).meta({ id: "RolePage" }) },
});

const name = lineOfText(60);
const description = z.string().trim().max(500);
const permissionList = z.array(z.enum(permissions)).max(permissions.length);
const nameTakenText = "`role_name_taken`: there is a role of this name.";

export const create = route({
  method: "post",
  path: "/v1/roles",
  tag,
  summary: "Make a role of permissions",
  description: "Of permissions that you have yourself. An organization has at most 100 roles of its own.",
  access: can("roles:manage"),
  body: z.strictObject({ name, description: description.optional(), permissions: permissionList }),
  replies: { 201: z.strictObject({ role: Role }) },
  errors: { 409: `${nameTakenText} \`quota_exceeded\`: remove one first.` },
});

const params = z.strictObject({ id: z.string() });
const builtIn = "`built_in_role`: owner, admin and member stay as they are.";

export const change = route({
  method: "patch",
  path: "/v1/roles/{id}",
  tag,
  summary: "Change a role, for everyone who has it",
  description: "Takes effect within a second. Neither before nor after may it have what you do not have.",
  access: can("roles:manage"),
  params,
  body: z.strictObject({
    name: name.optional(),
    description: description.optional(),
    permissions: permissionList.optional(),
  }),
  replies: { 200: z.strictObject({ role: Role }) },
  errors: { 409: `${nameTakenText} ${builtIn}` },
});

export const remove = route({
  method: "delete",
  path: "/v1/roles/{id}",
  tag,
  summary: "Remove a role that nobody has",
  description:
    "Refused while members or pending invitations have the role. Built-in roles cannot be removed.",
  access: can("roles:manage"),
  params,
  replies: { 204: null },
  errors: {
    409: `\`role_in_use\`: \`members\` names the first ten who have it, \`memberCount\` and \`invitationCount\` say how many. ${builtIn}`,
  },
});
