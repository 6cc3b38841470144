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
    allowedEmailDomains: z.array(z.string()).describe("Who may be invited; empty: anyone."),
    sessionMaxAgeMinutes: z
      .int()
      .nullable()
      .describe("How long a sign-in counts here; null: no limit of its own."),
    requireSso: z.boolean(),
    provisionalUntil: z
      .int()
      .nullable()
      .describe("When it goes unless somebody claims it; null: somebody owns it."),
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
  summary: "Make an organization and become its owner",
  description: "It becomes the session's active organization.",
  access: signedIn({ credentials: ["session"] }),
  body: z.strictObject({ name, slug: slug.optional() }),
  replies: { 201: z.strictObject({ organization: Organization }) },
  errors: { 409: "`slug_taken`: another organization has this slug." },
});

export const list = route({
  method: "get",
  path: "/v1/organizations",
  tag,
  summary: "The organizations I belong to",
  description: "Newest first, with the caller's role in each.",
  access: signedIn(),
  query: pageQuery,
  replies: { 200: definePage(Organization).meta({ id: "OrganizationPage" }) },
});

export const read = route({
  method: "get",
  path: "/v1/organization",
  tag,
  summary: "The active organization",
  description:
    "The organization of the credential, the one that `x-organization-id` names, or the session's active one.",
  access: can("organization:read"),
  replies: { 200: z.strictObject({ organization: Organization }) },
});

export const change = route({
  method: "patch",
  path: "/v1/organization",
  tag,
  summary: "Change the active organization",
  description: "Fields that are left out stay as they are.",
  access: can("organization:update"),
  body: z.strictObject({
    name: name.optional(),
    slug: slug.optional(),
    allowedEmailDomains: z.array(domain).max(100).optional(),
    sessionMaxAgeMinutes: z.int().min(5).max(525_600).nullable().optional(),
    requireSso: z.boolean().optional(),
  }),
  replies: { 200: z.strictObject({ organization: Organization }) },
  errors: {
    409: "`slug_taken`: another organization has this slug. `sso_not_configured`: set up single sign-on first, or nobody could come in.",
  },
});

export const remove = route({
  method: "delete",
  path: "/v1/organization",
  tag,
  summary: "Delete the active organization and everything in it",
  description:
    "Members, keys, tokens and secrets are gone with the reply; what is large follows in the background. It cannot be undone.",
  access: can("organization:delete", { fresh: true }),
  body: z.strictObject({ confirm: z.string().max(100).describe("The organization's slug, typed out.") }),
  replies: { 204: null },
});
