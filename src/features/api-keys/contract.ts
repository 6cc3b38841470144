import { z } from "zod";
import { definePage, lineOfText, pageQuery, route, shortBodyLimit } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { can, permissions } from "../permissions/index.ts";

const tag = "API Keys";

export const ApiKey = z
  .strictObject({
    id: idSchema("key"),
    name: z.string(),
    start: z.string().describe("The first letters of the key, to tell keys apart."),
    memberId: idSchema("mem"),
    permissions: z
      .array(z.string())
      .nullable()
      .describe("The permissions that it is limited to. Null means all permissions of its member."),
    expiresAt: z.int().nullable(),
    lastUsedAt: z
      .int()
      .nullable()
      .describe("When it was last used, in milliseconds since 1970. Accurate to some seconds."),
    replacedBy: z.string().nullable().describe("The key that replaces it, while both are valid."),
    createdAt: z.int(),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.output<typeof ApiKey>;

export const list = route({
  method: "get",
  path: "/v1/api-keys",
  tag,
  summary: "List my API keys; with `api_keys:manage` those of every member",
  description: "Newest first, without the keys themselves: those are shown once, when they are made.",
  access: can("api_keys:create"),
  query: pageQuery,
  replies: { 200: definePage(ApiKey).meta({ id: "ApiKeyPage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/api-keys",
  tag,
  summary: "Create an API key for myself in the active organization",
  description:
    "The key is shown only in this reply. It can have fewer permissions than its member, never more. The body has at most 64 KiB.",
  access: can("api_keys:create", { fresh: true }),
  bodyLimit: shortBodyLimit,
  body: z.strictObject({
    name: lineOfText(120),
    expiresAt: z.int().optional().describe("Milliseconds since 1970. When omitted, it does not expire."),
    permissions: z.array(z.enum(permissions)).min(1).max(permissions.length).optional(),
  }),
  replies: { 201: z.strictObject({ apiKey: ApiKey, key: z.string() }) },
});

export const rotate = route({
  method: "post",
  path: "/v1/api-keys/{id}/rotate",
  tag,
  summary: "Replace one of my keys by a new one",
  description:
    "The new key has the same name, limits and expiry, and is shown once. The old one works for `overlapSeconds` more.",
  access: can("api_keys:create", { fresh: true }),
  params: z.strictObject({ id: z.string() }),
  body: z.strictObject({
    overlapSeconds: z.int().min(0).max(604_800).default(0).describe("With 0, the old key ends at once."),
  }),
  bodyOptional: true,
  replies: { 201: z.strictObject({ apiKey: ApiKey, key: z.string(), previous: ApiKey.nullable() }) },
  errors: {
    409: "`api_key_replaced`: rotate the newer key. `api_key_expired`: create a new key.",
  },
});

export const remove = route({
  method: "delete",
  path: "/v1/api-keys/{id}",
  tag,
  summary: "Revoke an API key at once",
  description: "Requests with it are refused from then on, in every process.",
  access: can("api_keys:create"),
  params: z.strictObject({ id: z.string() }),
  replies: { 204: null },
});
