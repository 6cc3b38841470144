import { z } from "zod";
import { pageOf, pageQuery, route } from "../../platform/http/index.ts";
import { can } from "../permissions/index.ts";

const tag = "Members";

const Member = z
  .strictObject({
    id: z.string(),
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    role: z.string().describe("`owner`, `admin`, `member`, or the id of a role of the organization's own."),
    createdAt: z.int(),
  })
  .meta({ id: "Member" });
export type Member = z.output<typeof Member>;

export const list = route({
  method: "get",
  path: "/v1/members",
  tag,
  summary: "Who belongs to the organization",
  access: can("members:read"),
  query: pageQuery,
  replies: { 200: pageOf(Member).meta({ id: "MemberPage" }) },
});

export const read = route({
  method: "get",
  path: "/v1/members/{id}",
  tag,
  summary: "One member",
  access: can("members:read"),
  params: z.strictObject({ id: z.string() }),
  replies: { 200: z.strictObject({ member: Member }) },
});
