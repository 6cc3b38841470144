import { z } from "zod";

/** Refusals that follow from a contract. Their bodies are the same on all routes. */
export const refusals: Record<
  number,
  { description: string; schema: z.ZodType; example: Record<string, unknown> }
> = {
  400: {
    example: { error: "invalid_request", details: [{ message: "This field is required.", path: ["name"] }] },
    description: "The request is not valid. `details` lists the problems.",
    schema: z
      .looseObject({
        error: z.literal("invalid_request"),
        details: z.array(
          z.looseObject({ message: z.string(), path: z.array(z.union([z.string(), z.number()])).optional() }),
        ),
        capability: z.string().optional(),
      })
      .meta({ id: "InvalidRequest" }),
  },
  401: {
    example: { error: "unauthorized" },
    description: "There is no credential, or it is not valid.",
    schema: z.strictObject({ error: z.literal("unauthorized") }).meta({ id: "Unauthorized" }),
  },
  403: {
    example: {
      error: "forbidden",
      reason: "missing_permission",
      message: "This needs the permission members:manage. Ask an owner or admin.",
    },
    description: "The caller may not do this, or must sign in again first (`reauth`).",
    schema: z
      .strictObject({
        error: z.enum(["forbidden", "reauth"]),
        reason: z.string().optional(),
        message: z.string().optional(),
      })
      .meta({ id: "Forbidden" }),
  },
  404: {
    example: { error: "not_found" },
    description: "The object does not exist in this organization.",
    schema: z.looseObject({ error: z.string() }).meta({ id: "NotFound" }),
  },
  409: {
    example: {
      error: "quota_exceeded",
      message: "The organization has as many as it may. Remove one first.",
    },
    description:
      "The request conflicts with the current state. `quota_exceeded`: the organization has reached a limit; see `quota`, `limit` and `used`.",
    schema: z.looseObject({ error: z.string(), message: z.string() }).meta({ id: "Conflict" }),
  },
  413: {
    example: { error: "payload_too_large", message: "The body has more than 1048576 bytes." },
    description: "The body is too large.",
    schema: z
      .strictObject({ error: z.literal("payload_too_large"), message: z.string() })
      .meta({ id: "PayloadTooLarge" }),
  },
  415: {
    example: {
      error: "unsupported_media_type",
      message: "The content type must be application/json, not absent.",
    },
    description: "The media type of the body is not one that is accepted here.",
    schema: z
      .strictObject({ error: z.literal("unsupported_media_type"), message: z.string() })
      .meta({ id: "UnsupportedMediaType" }),
  },
  429: {
    example: { error: "rate_limited", message: "Too many attempts. Try again in 30 s." },
    description: "There were too many attempts. `Retry-After` says when to try again.",
    schema: z
      .strictObject({ error: z.literal("rate_limited"), message: z.string() })
      .meta({ id: "RateLimited" }),
  },
  500: {
    example: { error: "internal_error", requestId: "req_01jz8q2d9xf4vvh0tbq8k3m5na" },
    description: "An error of the service. The request id is in its log.",
    schema: z
      .strictObject({ error: z.literal("internal_error"), requestId: z.string() })
      .meta({ id: "InternalError" }),
  },
  503: {
    example: {
      error: "service_unavailable",
      message: "The database is not available. Try again in a moment.",
    },
    description: "The service is temporarily unavailable. `Retry-After` says when to try again.",
    schema: z.looseObject({ error: z.string(), message: z.string().optional() }).meta({ id: "Unavailable" }),
  },
};
