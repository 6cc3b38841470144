import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const tag = "SSO connectors";

const SsoIdentity = z
  .strictObject({
    id: idSchema("sid"),
    subject: z.string().describe("The provider's own id of the person."),
    userId: idSchema("usr"),
    memberId: idSchema("mem").nullable().describe("Null when the person is no longer a member."),
    name: z.string(),
    email: z.string().nullable().describe("The address that the provider gave at the last sign-in."),
    lastSignInAt: z.int().nullable(),
    createdAt: z.int(),
  })
  .meta({ id: "SsoIdentity" });

export const list = route({
  method: "get",
  path: "/v1/sso/{id}/identities",
  tag,
  summary: "List the people who are linked to the provider",
  description:
    "Newest first. People are recognized by `subject`, whatever name and address the provider sends.",
  access: can("sso:read"),
  params: z.strictObject({ id: z.string() }),
  query: pageQuery,
  replies: { 200: definePage(SsoIdentity).meta({ id: "SsoIdentityPage" }) },
  errors: { 404: "`sso_connector_not_found`" },
});

export const remove = route({
  method: "delete",
  path: "/v1/sso/{id}/identities/{identityId}",
  tag,
  summary: "Remove the link of a person at the provider",
  description:
    "Ends the person's sessions of this connector. Their next sign-in follows the rules of a first one. For somebody whom the provider has given another id.",
  access: can("sso:manage", { fresh: true }),
  params: z.strictObject({ id: z.string(), identityId: z.string() }),
  replies: { 204: null },
  errors: { 404: "`sso_connector_not_found` or `sso_identity_not_found`" },
});
