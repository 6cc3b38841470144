import { z } from "zod";
import { lineOfText, route, signedIn } from "../../platform/http/index.ts";
import { User } from "../auth/index.ts";

const tag = "Users";

const Membership = z
  .strictObject({
    organizationId: z.string(),
    organizationName: z.string(),
    memberId: z.string(),
    role: z.string(),
  })
  .meta({ id: "UserMembership" });

const Me = z
  .strictObject({
    user: User,
    credential: z.enum(["session", "key"]).describe("What this call was signed with."),
    activeOrganizationId: z.string().nullable(),
    permissions: z.array(z.string()).describe("What this credential may do in the active organization."),
    organizations: z.array(Membership),
  })
  .meta({ id: "Me" });

export const readMe = route({
  method: "get",
  path: "/v1/me",
  tag,
  summary: "Who am I, where, and what may I do",
  access: signedIn(),
  replies: { 200: Me },
});

export const changeMe = route({
  method: "patch",
  path: "/v1/me",
  tag,
  summary: "Change my profile",
  access: signedIn({ credentials: ["session"] }),
  body: z.strictObject({ name: lineOfText(120) }),
  replies: { 200: z.strictObject({ user: User }) },
});

export const switchOrganization = route({
  method: "post",
  path: "/v1/me/active-organization",
  tag,
  summary: "Choose the organization this session acts in",
  access: signedIn({ credentials: ["session"] }),
  body: z.strictObject({ organizationId: z.string().min(1).max(100) }),
  replies: { 200: z.strictObject({ activeOrganizationId: z.string() }) },
  errors: { 404: "`organization_not_found`: there is none with this id that you belong to." },
});
