import { z } from "zod";
import { open, route } from "../../../platform/http/index.ts";
import { type Dialect, dialects } from "../dialects/index.ts";

export const bodyLimit = 25 * 1024 * 1024;

const Ignored = z
  .strictObject({
    ok: z.literal(true),
    accepted: z.literal(false),
    reason: z.enum([
      "event ignored",
      "missing delivery id",
      "missing installation id",
      "missing push metadata",
      "no matching connector",
    ]),
  })
  .meta({ id: "WebhookIgnored" });

const Accepted = z
  .strictObject({
    ok: z.literal(true),
    accepted: z.literal(true),
    event: z.string(),
    deliveryId: z.string(),
    queued: z.boolean().describe("Whether sync work was queued; false when there was nothing new to do."),
  })
  .meta({ id: "WebhookAccepted" });

const InvalidSignature = z
  .strictObject({ ok: z.literal(false), error: z.literal("invalid signature") })
  .meta({ id: "WebhookInvalidSignature" });

const replies = { 200: Ignored, 202: Accepted, 401: InvalidSignature };
export type Reason = z.output<typeof Ignored>["reason"];

const ingress = (name: string, summary: string, media: readonly string[]) =>
  route({
    method: "post",
    path: `/v1/webhooks/connectors/${name}`,
    tag: "Webhooks",
    summary,
    description:
      "Authenticated by the code host's own signature over the bytes of the body. What is accepted is on disk, with the work that follows from it, before the reply.",
    access: open,
    // Not strict: a code host, or what stands before us, may add parameters of its own.
    query: z.object({
      connector: z
        .string()
        .optional()
        .describe("Whose secrets verify it, and the only one it can be about. Left out: the instance's."),
    }),
    bytes: media,
    bodyLimit,
    replies,
    errors: {
      503: {
        description:
          "No secret is configured for the instance; or not available for a moment, then with `Retry-After`.",
        schema: z
          .looseObject({ ok: z.literal(false).optional(), error: z.string(), message: z.string().optional() })
          .meta({ id: "WebhookUnavailable" }),
      },
    },
  });

const json = "application/json";
const form = "application/x-www-form-urlencoded";

/** Any code host; which one is told by the headers. */
export const codehost = ingress("codehost", "Receive a webhook of a code host", [json, form]);

const names: Record<Dialect, string> = {
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea",
  forgejo: "Forgejo",
  bitbucket: "Bitbucket",
};

/** One code host each: the others are refused there. */
export const named = dialects.map((dialect) => ({
  dialect,
  spec: ingress(
    dialect,
    `Receive a webhook of ${names[dialect]} alone`,
    dialect === "github" ? [json, form] : [json],
  ),
}));
