import { z } from "zod";
import { open, route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";
import { Connection, label } from "../connections/index.ts";

const tag = "OAuth Providers";
const params = z.strictObject({ providerId: z.string() });

export const start = route({
  method: "get",
  path: "/v1/oauth-providers/{providerId}/connect/start",
  changes: true,
  tag,
  summary: "Start to connect my account at a provider",
  description:
    "Send the member's browser to `authorizeUrl`. It works once, within ten minutes; a later start with the same label replaces it. Unknown query parameters are ignored. A browser that opens this URL (`Sec-Fetch-Mode: navigate`, or an `Accept` that prefers `text/html`) gets a page that asks for confirmation and then redirects to the provider. Errors are pages too.",
  access: can("connections:use"),
  params,
  // Unknown parameters are ignored, so that newer programs can send them.
  query: z.looseObject({
    account: label
      .optional()
      .describe("A label, to have several accounts at one provider. Default `default`."),
    scopes: z
      .string()
      .max(4000)
      .optional()
      .describe("Additional scopes to request, separated by spaces. The client must allow them."),
    shared: z
      .enum(["true", "false"])
      .optional()
      .describe("`true` for a shared connection. Needs `connections:manage`."),
    returnTo: z
      .string()
      .max(500)
      .optional()
      .describe("A path on this site that the last page links back to."),
    confirm: z
      .string()
      .max(200)
      .optional()
      .describe(
        "For browsers only: the confirmation from the page that asks whether to continue. Valid for ten minutes.",
      ),
  }),
  navigation: {
    status: 303,
    description:
      "Redirects a browser to the provider after the person has confirmed. The session is that of the cookie.",
  },
  replies: { 200: z.strictObject({ authorizeUrl: z.string() }).meta({ id: "OauthConnectStart" }) },
  errors: {
    404: {
      description: "`client_not_configured`: the organization has saved no OAuth client for this provider.",
      schema: z
        .strictObject({ error: z.literal("client_not_configured"), message: z.string() })
        .meta({ id: "ClientNotConfigured" }),
    },
  },
});
export type StartQuery = z.output<(typeof start)["query"]>;

export const callback = route({
  method: "get",
  path: "/v1/oauth-providers/{providerId}/connect/callback",
  changes: true,
  tag,
  summary: "Receive the browser from the provider",
  description: "Register this address at the provider. The page shows the result and a link back.",
  access: open,
  params,
  // Providers may add any parameters.
  query: z.looseObject({}),
  raw: "text/html",
  replies: { 200: z.string() },
});

export const claim = route({
  method: "post",
  path: "/v1/oauth-providers/{providerId}/connect/claim",
  tag,
  summary: "Claim a connection that was completed in a browser without my session",
  description:
    "For a connection that was started with a token or a key. The page in the browser shows a code. Send the code with the credential that started, or with a session of the same member. Without the code of that page the connection cannot be claimed.",
  access: can("connections:use"),
  params,
  body: z.strictObject({ code: z.string().min(1).max(40).describe("The code that the page shows.") }),
  replies: { 200: z.strictObject({ connection: Connection }) },
  errors: {
    404: "`oauth_provider_not_found`, or `claim_not_found`: the code is wrong, belongs to another member, or has expired.",
  },
});
