import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { scopeToken } from "../clients/index.ts";
import { label } from "../connections/index.ts";

/** People, and the machines that act for them, may request tokens. */
const issuePermission = ["session", "key", "runner", "run"] as const;

export const issue = route({
  method: "post",
  path: "/v1/oauth-providers/{providerId}/token",
  tag: "OAuth Providers",
  summary: "Get a valid access token of my account, for an agent",
  description:
    "The token is refreshed when needed, once, however many requests arrive at the same moment. Without a body it is for the account `default`, else for the newest connection; own connections come before shared ones. A runner gets tokens of its own member, a run credential those of the connections that its automation names. Each issued token is recorded.",
  access: can("connections:use", { credentials: issuePermission }),
  params: z.strictObject({ providerId: z.string() }),
  body: z.strictObject({
    connectionId: z.string().max(100).optional(),
    account: label.optional(),
    minTtlSeconds: z
      .int()
      .min(0)
      .max(86_400)
      .default(60)
      .describe(
        "The time for which the token must still be valid. Tokens with a shorter lifetime are refreshed at half of it.",
      ),
    scopes: z.array(scopeToken).max(100).default([]).describe("The scopes that the token must have."),
  }),
  bodyOptional: true,
  replies: {
    200: z
      .strictObject({
        accessToken: z.string(),
        tokenType: z.literal("Bearer"),
        expiresAt: z.int().nullable(),
        scopes: z.array(z.string()),
        connectionId: idSchema("ocn"),
        account: z.string(),
      })
      .meta({ id: "OauthAccessToken" }),
  },
  errors: {
    404: "`oauth_provider_not_found`, or `connection_not_found`: connect an account first.",
    409: "`reconnect_required`: the token cannot be refreshed; `reason` says why. `step_up_required`: `missingScopes` were not granted.",
    503: "`provider_unavailable`: the provider does not refresh the token at the moment. `Retry-After` says when to try again.",
  },
});
export type IssueToken = z.output<(typeof issue)["body"]>;
