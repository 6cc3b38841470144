import { z } from "zod";
import { definePage, lineOfText, pageQuery, route, shortBodyLimit } from "../../platform/http/index.ts";
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
  summary: "List all permissions, and the built-in roles that have them",
  description: "The permission names that roles and API keys use.",
  access: can("members:read"),
  replies: {
    200: z.strictObject({ items: z.array(PermissionInfo), nextCursor: z.null() }).meta({ id: "Permissions" }),
  },
});

const Role = z
  .strictObject({
    id: z.string().describe("The value of a member's `role`: `owner`, `admin`, `member`, or `role_…`."),
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
  summary: "List roles: custom roles, newest first, then the built-in ones",
  description: "Each role includes its permissions and the number of its members.",
  access: can("members:read"),
  query: pageQuery,
  replies: { 200: definePage(Role).meta({ id: "RolePage" }) },
});

const name = lineOfText(60);
const description = z.string().trim().max(500);
const permissionList = z.array(z.enum(permissions)).max(permissions.length);
const nameTakenText = "`role_name_taken`: another role has this name.";

export const create = route({
  method: "post",
  path: "/v1/roles",
  tag,
  summary: "Create a role",
  description:
    "A role can have only permissions that you have yourself. An organization has at most 100 custom roles. The body has at most 64 KiB.",
  access: can("roles:manage"),
  bodyLimit: shortBodyLimit,
  body: z.strictObject({ name, description: description.optional(), permissions: permissionList }),
  replies: { 201: z.strictObject({ role: Role }) },
  errors: { 409: `${nameTakenText} \`quota_exceeded\`: remove a role first.` },
});

const params = z.strictObject({ id: z.string() });
const builtIn = "`built_in_role`: owner, admin and member cannot be changed.";

export const change = route({
  method: "patch",
  path: "/v1/roles/{id}",
  tag,
  summary: "Change a role, for everyone who has it",
  description:
    "Takes effect within a second. You can change only a role whose permissions, before and after, are all among your own. Adding a permission that only owners have needs a session of the last 15 minutes. The body has at most 64 KiB.",
  access: can("roles:manage"),
  bodyLimit: shortBodyLimit,
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
    409: `\`role_in_use\`: \`members\` names the first ten members who have it, and \`memberCount\` and \`invitationCount\` say how many do. ${builtIn}`,
  },
});
