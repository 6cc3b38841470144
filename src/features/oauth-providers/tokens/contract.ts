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
  summary: "A valid access token of mine, for an agent that works for me",
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
        "How long it should still be good for. What the provider gives for less is renewed at half its time.",
      ),
    scopes: z.array(scopeToken).max(100).default([]).describe("What it must allow."),
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
    409: "`reconnect_required`: it cannot be renewed; `reason` says why. `step_up_required`: `missingScopes` were not granted.",
    503: "`provider_unavailable`: the provider does not renew it at the moment. `Retry-After` says when to come back.",
  },
});
export type IssueToken = z.output<(typeof issue)["body"]>;
