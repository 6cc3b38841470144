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
const errors = { 409: "`team_name_taken`: there is a team of this name." };

export const list = route({
  method: "get",
  path: "/v1/teams",
  tag,
  summary: "The teams of the organization",
  description: "Newest first, with how many members each has.",
  access: can("members:read"),
  query: pageQuery,
  replies: { 200: definePage(Team).meta({ id: "TeamPage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/teams",
  tag,
  summary: "Make a team",
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
  summary: "One team",
  description: "Who is in it: `GET /v1/members?teamId=`.",
  access: can("members:read"),
  params,
  replies: { 200: one },
});

export const change = route({
  method: "patch",
  path: "/v1/teams/{id}",
  tag,
  summary: "Change a team's name or description",
  description: "Fields that are left out stay as they are.",
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
  description: "Its members stay members; what was granted to the team no longer counts for them.",
  access: can("teams:manage"),
  params,
  replies: { 204: null },
});

const place = z.strictObject({ id: z.string(), memberId: z.string() });

export const addMember = route({
  method: "put",
  path: "/v1/teams/{id}/members/{memberId}",
  tag,
  summary: "Put a member into a team; one who is in it stays",
  description: "If the team was granted a shared connection, this also needs `connections:manage`.",
  access: can("teams:manage"),
  params: place,
  replies: { 200: one },
});

export const removeMember = route({
  method: "delete",
  path: "/v1/teams/{id}/members/{memberId}",
  tag,
  summary: "Take a member out of a team; one who is not in it stays out",
  description: "The member loses at once what the team was granted.",
  access: can("teams:manage"),
  params: place,
  replies: { 204: null },
});
