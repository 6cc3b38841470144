import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const tag = "SSO connectors";
const manage = can("sso:manage", { fresh: true });

const SsoDomain = z
  .strictObject({
    id: idSchema("dom"),
    domain: z.string(),
    txtName: z.string().describe("The name of the TXT record to add."),
    txtValue: z
      .string()
      .describe("The value of the TXT record to add. Leave it there: it is checked every day."),
    verifiedAt: z.int().nullable().describe("Since when the domain is verified. Null: it is not."),
    checkedAt: z.int().nullable(),
    failingSince: z
      .int()
      .nullable()
      .describe("Since when the record is missing. After 7 days the domain is no longer verified."),
    createdAt: z.int(),
  })
  .meta({ id: "SsoDomain" });
export type SsoDomain = z.output<typeof SsoDomain>;

const one = z.strictObject({ domain: SsoDomain });
const params = z.strictObject({ id: z.string() });
const notFound = "`sso_domain_not_found`";

export const list = route({
  method: "get",
  path: "/v1/sso/domains",
  tag,
  summary: "List the domains of the organization",
  description: "Newest first, with the TXT record of each and whether it was found.",
  access: can("sso:read"),
  query: pageQuery,
  replies: { 200: definePage(SsoDomain).meta({ id: "SsoDomainPage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/sso/domains",
  tag,
  summary: "Add a domain of the organization",
  description:
    "Add the TXT record of the reply to the domain, then call `POST /v1/sso/domains/{id}/verify`. Only people with an address in a verified domain can sign in for the first time. Domains of public mail services are refused.",
  access: manage,
  body: z.strictObject({
    domain: z
      .string()
      .trim()
      .toLowerCase()
      .max(253)
      .regex(
        /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/,
        "This is not a domain such as example.com.",
      ),
  }),
  replies: { 201: one },
  errors: { 409: "`domain_exists`: the organization has named it already." },
});

export const verify = route({
  method: "post",
  path: "/v1/sso/domains/{id}/verify",
  tag,
  summary: "Look for the TXT record of a domain",
  description: "At most 60 times in an hour. A domain is verified for one organization at a time.",
  access: manage,
  params,
  replies: { 200: one },
  errors: {
    404: notFound,
    409: "`txt_record_not_found`: the record is not there, or not visible yet. `domain_taken`: another organization has verified it and must release it first.",
    503: "The name servers of the domain gave no answer. Try again.",
  },
});

export const remove = route({
  method: "delete",
  path: "/v1/sso/domains/{id}",
  tag,
  summary: "Release a domain",
  description:
    "Another organization can verify it from then on. People who have signed in before can still do so.",
  access: manage,
  params,
  replies: { 204: null },
  errors: { 404: notFound },
});
