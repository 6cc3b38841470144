import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const purposes = ["sign_in", "reauthenticate", "test", "link", "metadata"] as const;

const SsoEvent = z
  .strictObject({
    id: idSchema("sse"),
    purpose: z.enum(purposes).describe("What the call was for. `metadata`: reading the provider's metadata."),
    outcome: z.enum(["succeeded", "refused"]),
    code: z
      .string()
      .describe("Why, as a code: `signed_in`, `domain_not_verified`, `id_token_exp_out_of_range`."),
    message: z.string(),
    subject: z.string().nullable().describe("The provider's own id of the person, once it is proved."),
    email: z.string().nullable().describe("The address that the provider gave."),
    userId: z.string().nullable().describe("The account that signed in."),
    address: z.string().nullable().describe("The network address of the browser."),
    requestId: z.string().nullable(),
    createdAt: z.int(),
  })
  .meta({ id: "SsoEvent" });
export type SsoEvent = z.output<typeof SsoEvent>;

export const list = route({
  method: "get",
  path: "/v1/sso/{id}/events",
  tag: "SSO connectors",
  summary: "List the last sign-ins of a connector",
  description:
    "Newest first: each sign-in with its result, and why it was refused. The last 500 are kept. Codes, tokens and assertions are never stored.",
  access: can("sso:read"),
  params: z.strictObject({ id: z.string() }),
  query: pageQuery,
  replies: { 200: definePage(SsoEvent).meta({ id: "SsoEventPage" }) },
  errors: { 404: "`sso_connector_not_found`" },
});
