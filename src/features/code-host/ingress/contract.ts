import { z } from "zod";
import { type HeaderSpec, open, route } from "../../../platform/http/index.ts";
import { type Dialect, dialects } from "../dialects/index.ts";

const bodyLimit = 25 * 1024 * 1024;

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
      "storage quota exceeded",
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

/** The headers with which each code host names and signs a delivery. */
const uuid = "72d3162e-cc78-11e3-81ab-4c9367dc0958";
const digest = "5c7f3e0b9d2a4186c1f7e9a0b3d5820f6e4c1a9b7d3f5e2c8a0b6d4f1e3c5a79";
const signatureHeaders: Record<Dialect, Record<string, HeaderSpec>> = {
  github: {
    "x-hub-signature-256": {
      description: "GitHub: HMAC-SHA256 of the body, with the secret as key, in hexadecimal after `sha256=`.",
      example: `sha256=${digest}`,
    },
    "x-github-event": { description: "GitHub: the name of the event.", example: "push" },
    "x-github-delivery": { description: "GitHub: the id of the delivery.", example: uuid },
  },
  gitlab: {
    "webhook-signature": {
      description:
        "GitLab, signed: HMAC-SHA256 of id, time and body as in Standard Webhooks, in base64 after `v1,`.",
      example: "v1,XH8+C50qQYbB9+mgs9WCD25MGpt9P17IoLbU8eNcWnk=",
    },
    "webhook-id": { description: "GitLab, signed: the id of the delivery.", example: uuid },
    "webhook-timestamp": {
      description:
        "GitLab, signed: when it was sent, in seconds since 1970. It may differ from the current time by at most five minutes.",
      example: "1793611800",
    },
    "x-gitlab-token": {
      description: "GitLab, without a signature: the secret itself.",
      example: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
    },
    "x-gitlab-event": { description: "GitLab: the name of the event.", example: "Push Hook" },
  },
  gitea: {
    "x-gitea-signature": {
      description: "Gitea: HMAC-SHA256 of the body, with the secret as key, in hexadecimal.",
      example: digest,
    },
    "x-gitea-event": { description: "Gitea: the name of the event.", example: "push" },
    "x-gitea-delivery": { description: "Gitea: the id of the delivery.", example: uuid },
  },
  forgejo: {
    "x-forgejo-signature": {
      description: "Forgejo: HMAC-SHA256 of the body, with the secret as key, in hexadecimal.",
      example: digest,
    },
    "x-forgejo-event": { description: "Forgejo: the name of the event.", example: "push" },
    "x-forgejo-delivery": { description: "Forgejo: the id of the delivery.", example: uuid },
  },
  bitbucket: {
    "x-hub-signature": {
      description:
        "Bitbucket: HMAC-SHA256 of the body, with the secret as key, in hexadecimal after `sha256=`.",
      example: `sha256=${digest}`,
    },
    "x-event-key": { description: "Bitbucket: the name of the event.", example: "repo:push" },
    "x-request-uuid": { description: "Bitbucket: the id of the delivery.", example: uuid },
  },
};

const ingress = (name: string, summary: string, media: readonly string[], from: readonly Dialect[]) =>
  route({
    method: "post",
    path: `/v1/webhooks/connectors/${name}`,
    tag: "Webhooks",
    summary,
    description:
      "Authenticated by the signature of the code host over the bytes of the body. An accepted delivery and its sync are stored before the reply.",
    access: open,
    // Not strict: a code host or a proxy may add parameters.
    query: z.object({
      connector: z
        .string()
        .optional()
        .describe(
          "The connector whose secrets verify the delivery; the delivery can be about no other connector. Without it, the instance's secret verifies the delivery.",
        ),
    }),
    bytes: media,
    requestHeaders: Object.assign({}, ...from.map((dialect) => signatureHeaders[dialect])),
    bodyLimit,
    replies,
    errors: {
      403: "`organization_suspended`: the organization of the connector is suspended. Nothing was stored; send the delivery again after it is restored.",
      503: {
        description:
          "No secret is configured for the instance. With `Retry-After`: the service is temporarily unavailable.",
        schema: z
          .looseObject({ ok: z.literal(false).optional(), error: z.string(), message: z.string().optional() })
          .meta({ id: "WebhookUnavailable" }),
      },
    },
  });

const json = "application/json";
const form = "application/x-www-form-urlencoded";

/** Accepts every code host. The headers identify it. */
export const codehost = ingress("codehost", "Receive a webhook of any code host", [json, form], dialects);

const names: Record<Dialect, string> = {
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea",
  forgejo: "Forgejo",
  bitbucket: "Bitbucket",
};

/** Each accepts one code host and refuses the others. */
export const named = dialects.map((dialect) => ({
  dialect,
  spec: ingress(
    dialect,
    `Receive a webhook of ${names[dialect]}`,
    dialect === "github" ? [json, form] : [json],
    [dialect],
  ),
}));
