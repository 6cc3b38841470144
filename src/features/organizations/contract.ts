import { z } from "zod";
import { definePage, lineOfText, pageQuery, route, signedIn } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { can } from "../permissions/index.ts";

const tag = "Organizations";

export const Organization = z
  .strictObject({
    id: idSchema("org"),
    name: z.string(),
    slug: z.string(),
    allowedEmailDomains: z
      .array(z.string())
      .describe("The domains of addresses that can be invited. An empty list allows every domain."),
    sessionMaxAgeMinutes: z
      .int()
      .nullable()
      .describe("The minutes for which a sign-in is valid in this organization. Null means no limit."),
    requireSso: z.boolean().describe("Only sessions of the organization's own single sign-on are accepted."),
    breakGlassMemberId: z
      .string()
      .nullable()
      .describe(
        "While `requireSso` is true: the owner who may sign in with password and second factor. Each use is reported to all owners.",
      ),
    provisionalUntil: z
      .int()
      .nullable()
      .describe(
        "When the workspace is deleted unless somebody claims it, in milliseconds since 1970. Null when it has an owner.",
      ),
    suspendedAt: z
      .int()
      .nullable()
      .describe(
        "When an administrator of the instance suspended the organization, in milliseconds since 1970. Every other request in it is refused. Null when it is not suspended.",
      ),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "Organization" });
export type Organization = z.output<typeof Organization>;

const name = lineOfText(120);
const slug = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/, "Use 1 to 48 lower-case letters, digits and dashes.");
const domain = z
  .string()
  .toLowerCase()
  .max(253)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    "This is not a domain such as example.com.",
  );

export const create = route({
  method: "post",
  path: "/v1/organizations",
  tag,
  summary: "Create an organization and become its owner",
  description: "It becomes the session's active organization.",
  access: signedIn({ credentials: ["session"], account: true }),
  body: z.strictObject({ name, slug: slug.optional() }),
  replies: { 201: z.strictObject({ organization: Organization }) },
  errors: { 409: "`slug_taken`: another organization has this slug." },
});

export const list = route({
  method: "get",
  path: "/v1/organizations",
  tag,
  summary: "List the organizations I belong to",
  description: "Newest first, with the caller's role in each.",
  access: signedIn(),
  query: pageQuery,
  replies: { 200: definePage(Organization).meta({ id: "OrganizationPage" }) },
});

export const read = route({
  method: "get",
  path: "/v1/organization",
  tag,
  summary: "Read the active organization",
  description:
    "Returns the organization of the credential, the one that `x-organization-id` names, or the session's active one.",
  access: can("organization:read"),
  replies: { 200: z.strictObject({ organization: Organization }) },
});

export const change = route({
  method: "patch",
  path: "/v1/organization",
  tag,
  summary: "Change the active organization",
  description:
    "Omitted fields do not change. `requireSso` and `breakGlassMemberId` also need `sso:manage` and a fresh session.",
  access: can("organization:update"),
  body: z.strictObject({
    name: name.optional(),
    slug: slug.optional(),
    allowedEmailDomains: z.array(domain).max(100).optional(),
    sessionMaxAgeMinutes: z.int().min(5).max(525_600).nullable().optional(),
    requireSso: z
      .boolean()
      .optional()
      .describe(
        "Needs `sso:manage` and a fresh session. To turn it on, test a connector as yourself and name `breakGlassMemberId`. Keys and tokens of members who then can no longer sign in end.",
      ),
    breakGlassMemberId: z.string().max(60).optional().describe("An owner with a second factor."),
  }),
  replies: { 200: z.strictObject({ organization: Organization }) },
  errors: {
    409: "`slug_taken`: another organization has this slug. `sso_not_configured`: set up single sign-on first, or nobody could sign in. `sso_not_tested`: test a sign-in as yourself first. `break_glass_required`: name an owner who can sign in without it.",
  },
});

export const remove = route({
  method: "delete",
  path: "/v1/organization",
  tag,
  summary: "Delete the active organization and everything in it",
  description:
    "Members, keys, tokens and secrets are deleted before the reply, and large data afterwards in the background. This cannot be undone.",
  access: can("organization:delete", { fresh: true }),
  body: z.strictObject({
    confirm: z.string().max(100).describe("The slug of the organization, as a confirmation."),
  }),
  replies: { 204: null },
});
