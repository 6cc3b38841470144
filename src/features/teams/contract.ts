import { z } from "zod";
import { definePage, lineOfText, pageQuery, route } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { can } from "../permissions/index.ts";

const tag = "Teams";

const Team = z
  .strictObject({
    id: idSchema("team"),
    name: z.string(),
    description: z.string(),
    memberCount: z.int(),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "Team" });
export type Team = z.output<typeof Team>;

const one = z.strictObject({ team: Team });
const params = z.strictObject({ id: z.string() });
const name = lineOfText(60);
const description = z.string().trim().max(500);
const errors = { 409: "`team_name_taken`: another team has this name." };

export const list = route({
  method: "get",
  path: "/v1/teams",
  tag,
  summary: "List the teams of the organization",
  description: "Newest first, with the number of members of each.",
  access: can("members:read"),
  query: pageQuery,
  replies: { 200: definePage(Team).meta({ id: "TeamPage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/teams",
  tag,
  summary: "Create a team",
  description: "A new team has no members. Add them with `PUT /v1/teams/{id}/members/{memberId}`.",
  access: can("teams:manage"),
  body: z.strictObject({ name, description: description.optional() }),
  replies: { 201: one },
  errors,
});

export const read = route({
  method: "get",
  path: "/v1/teams/{id}",
  tag,
  summary: "Read a team",
  description: "`GET /v1/members?teamId=` lists its members.",
  access: can("members:read"),
  params,
  replies: { 200: one },
});

export const change = route({
  method: "patch",
  path: "/v1/teams/{id}",
  tag,
  summary: "Change a team's name or description",
  description: "Omitted fields do not change.",
  access: can("teams:manage"),
  params,
  body: z.strictObject({ name: name.optional(), description: description.optional() }),
  replies: { 200: one },
  errors,
});

export const remove = route({
  method: "delete",
  path: "/v1/teams/{id}",
  tag,
  summary: "Remove a team",
  description: "Its members stay in the organization, and lose what was granted to the team.",
  access: can("teams:manage"),
  params,
  replies: { 204: null },
});

const place = z.strictObject({ id: z.string(), memberId: z.string() });

export const addMember = route({
  method: "put",
  path: "/v1/teams/{id}/members/{memberId}",
  tag,
  summary: "Add a member to a team",
  description:
    "If the team was granted a shared connection, this also needs `connections:manage`; if it was granted an LLM provider, `llm_providers:manage`; if it was granted an MCP connection, `mcp_connections:manage`.",
  access: can("teams:manage"),
  params: place,
  replies: { 200: one },
});

export const removeMember = route({
  method: "delete",
  path: "/v1/teams/{id}/members/{memberId}",
  tag,
  summary: "Remove a member from a team",
  description: "The member immediately loses what was granted to the team.",
  access: can("teams:manage"),
  params: place,
  replies: { 204: null },
  errors: { 409: "`managed_by_scim`: a group of the directory puts the member into the team." },
});
