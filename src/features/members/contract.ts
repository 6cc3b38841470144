import { z } from "zod";
import { definePage, member, pageQuery, route } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { can } from "../permissions/index.ts";

const tag = "Members";

export const Member = z
  .strictObject({
    id: idSchema("mem"),
    userId: idSchema("usr"),
    email: z.string(),
    name: z.string(),
    role: z.string().describe("`owner`, `admin`, `member`, or the id of a custom role."),
    roleName: z.string().describe("The name of the role, for people."),
    teams: z.array(z.strictObject({ id: idSchema("team"), name: z.string() })),
    deactivatedAt: z
      .int()
      .nullable()
      .describe("Since when the member has no access. Null for an active member."),
    managedBy: z
      .string()
      .nullable()
      .describe("The SCIM connector whose directory manages this member. Null: managed here."),
    managedFields: z
      .array(z.enum(["role", "name"]))
      .describe("What the directory decides besides deactivation and removal."),
    createdAt: z.int(),
  })
  .meta({ id: "Member" });
export type Member = z.output<typeof Member>;

export const listQuery = z.strictObject({
  ...pageQuery.shape,
  search: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe("Part of a name or an e-mail address, in any case."),
  role: z.string().max(60).optional().describe("Only members with this role."),
  teamId: z.string().max(60).optional().describe("Only members of this team."),
  status: z.enum(["active", "deactivated"]).optional().describe("Only active or only deactivated members."),
});

export const list = route({
  method: "get",
  path: "/v1/members",
  tag,
  summary: "List the members of the organization",
  description: "Newest first, with role and teams.",
  access: can("members:read"),
  query: listQuery,
  replies: { 200: definePage(Member).meta({ id: "MemberPage" }) },
});

const params = z.strictObject({ id: z.string() });
const one = { 200: z.strictObject({ member: Member }) };
const breakGlass =
  "`break_glass_owner`: this owner is the one who can sign in without single sign-on. Name another one first.";
const lastOwner = `\`last_owner\`: an organization needs an active owner. Make another member an owner first. ${breakGlass}`;
const managed = "`managed_by_scim`: the directory decides this. Change it there.";

export const read = route({
  method: "get",
  path: "/v1/members/{id}",
  tag,
  summary: "Read a member",
  description: "A member, with role and teams.",
  access: can("members:read"),
  params,
  replies: one,
});

export const change = route({
  method: "patch",
  path: "/v1/members/{id}",
  tag,
  summary: "Give a member another role",
  description:
    "Takes effect within a second. A caller cannot give more permissions than they have. Only owners can create and change owners, and this needs a session of the last 15 minutes. Giving a role with permissions that only owners have needs it too.",
  access: can("members:manage"),
  params,
  body: z.strictObject({ role: z.string().min(1).max(60) }),
  replies: one,
  errors: { 409: `${lastOwner} ${managed}` },
});

export const remove = route({
  method: "delete",
  path: "/v1/members/{id}",
  tag,
  summary: "Remove a member",
  description:
    "The member's sessions lose access to this organization, and their keys, tokens, connections and runners end at once. Their automations are kept, and do not run until they have a new owner. Removing an owner needs a session of the last 15 minutes.",
  access: can("members:manage"),
  params,
  replies: { 204: null },
  errors: { 409: `${lastOwner} ${managed}` },
});

const deactivation = { params, replies: one, access: can("members:manage"), tag, method: "post" } as const;

export const deactivate = route({
  ...deactivation,
  path: "/v1/members/{id}/deactivate",
  summary: "Deactivate a member",
  description:
    "The member has no access from now on: keys and tokens end, sessions do not count here, automations do not start. Role and teams stay. For an owner, this needs a session of the last 15 minutes.",
  errors: { 409: `${lastOwner} ${managed} \`own_membership\`: that is yourself.` },
});

export const reactivate = route({
  ...deactivation,
  path: "/v1/members/{id}/reactivate",
  summary: "Reactivate a member",
  description:
    "The member has the same role and teams as before. Keys and tokens have to be created again. For an owner, or somebody with permissions that only owners have, this needs a session of the last 15 minutes.",
  errors: { 409: managed },
});

export const leave = route({
  method: "post",
  path: "/v1/organization/leave",
  tag,
  summary: "Leave the active organization",
  description: "Has the same effects as removing a member, for the caller.",
  access: member({ credentials: ["session"] }),
  replies: { 204: null },
  errors: { 409: `${lastOwner} ${managed}` },
});

export const transferOwnership = route({
  method: "post",
  path: "/v1/members/{id}/transfer-ownership",
  tag,
  summary: "Transfer my ownership to another member",
  description:
    "The member becomes an owner and the caller, who must be an owner, becomes an admin, in one step.",
  access: can("members:manage", { fresh: true }),
  params,
  replies: { 200: z.strictObject({ member: Member, previousOwner: Member }) },
  errors: {
    409: `\`already_owner\`: name another member. \`member_deactivated\`: reactivate them first. ${breakGlass} ${managed}`,
  },
});
