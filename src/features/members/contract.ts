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
    role: z.string().describe("`owner`, `admin`, `member`, or the id of a role of the organization's own."),
    roleName: z.string().describe("What people call it."),
    teams: z.array(z.strictObject({ id: idSchema("team"), name: z.string() })),
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
  role: z.string().max(60).optional().describe("Only those with this role."),
  teamId: z.string().max(60).optional().describe("Only those in this team."),
});

export const list = route({
  method: "get",
  path: "/v1/members",
  tag,
  summary: "Who belongs to the organization",
  description: "Newest first, with role and teams.",
  access: can("members:read"),
  query: listQuery,
  replies: { 200: definePage(Member).meta({ id: "MemberPage" }) },
});

const params = z.strictObject({ id: z.string() });
const one = { 200: z.strictObject({ member: Member }) };
const lastOwner = "`last_owner`: an organization keeps an owner. Make somebody else one first.";

export const read = route({
  method: "get",
  path: "/v1/members/{id}",
  tag,
  summary: "One member",
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
    "Takes effect within a second. Nobody gives more than they have themselves; owners are made and changed by owners.",
  access: can("members:manage"),
  params,
  body: z.strictObject({ role: z.string().min(1).max(60) }),
  replies: one,
  errors: { 409: lastOwner },
});

export const remove = route({
  method: "delete",
  path: "/v1/members/{id}",
  tag,
  summary: "Remove a member",
  description:
    "Their sessions stop counting here, their keys, tokens, connections and runners end, at once. Automations of theirs stay, and rest until somebody takes them over.",
  access: can("members:manage"),
  params,
  replies: { 204: null },
  errors: { 409: lastOwner },
});

export const leave = route({
  method: "post",
  path: "/v1/organization/leave",
  tag,
  summary: "Leave the active organization",
  description: "What is said of removing a member happens to the caller.",
  access: member({ credentials: ["session"] }),
  replies: { 204: null },
  errors: { 409: lastOwner },
});

export const transferOwnership = route({
  method: "post",
  path: "/v1/members/{id}/transfer-ownership",
  tag,
  summary: "Hand my ownership to another member",
  description: "They become an owner and the caller, who must be one, an admin: both or neither.",
  access: can("members:manage", { fresh: true }),
  params,
  replies: { 200: z.strictObject({ member: Member, previousOwner: Member }) },
  errors: { 409: "`already_owner`: that is yourself." },
});
