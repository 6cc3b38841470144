import { z } from "zod";
import { definePage, lineOfText, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { verdicts } from "./verdict.ts";

const tag = "LLM Providers";
const manage = can("llm_providers:manage");
/** Routes that take a secret. */
const manageFresh = can("llm_providers:manage", { fresh: true });

/** A key as its provider issued it. It becomes a header, so it has visible ASCII characters only. */
export const apiKey = z
  .string()
  .trim()
  .min(1)
  .max(8_000)
  .regex(/^[\x21-\x7e]+$/, "A key has visible characters without spaces. Check that it was copied whole.");
const keyName = lineOfText(80);

const LlmProviderKey = z
  .strictObject({
    id: idSchema("llk"),
    providerId: idSchema("llp"),
    name: z.string(),
    tail: z.string().describe("The last characters of the key. The key itself is never shown."),
    status: z
      .enum(["active", "retiring", "disabled"])
      .describe(
        "`retiring`: it was rotated, and is deleted at `retiresAt`. It is only handed out when no other key works. `disabled`: it is not handed out.",
      ),
    retiresAt: z.int().nullable().describe("When a rotated key is deleted."),
    replacedBy: z.string().nullable().describe("The key that replaced it."),
    lastVerdict: z.enum(verdicts).nullable().describe("The result of the last test."),
    lastMessage: z.string().nullable().describe("The result of the last test in a sentence."),
    lastTestedAt: z.int().nullable(),
    lastIssuedAt: z.int().nullable().describe("When it was last handed out, to the minute."),
    createdBy: z.string(),
    createdAt: z.int(),
  })
  .meta({ id: "LlmProviderKey" });
export type LlmProviderKey = z.output<typeof LlmProviderKey>;

const one = z.strictObject({ key: LlmProviderKey });
const id = z.string().min(1).max(160);
const ofProvider = z.strictObject({ id });
const ofKey = z.strictObject({ id, keyId: id });
const noKey = { 404: "`llm_provider_key_not_found`" };

export const list = route({
  method: "get",
  path: "/v1/llm-providers/{id}/keys",
  tag,
  summary: "List the keys of a provider",
  description: "Newest first, with the last characters of each.",
  access: manage,
  params: ofProvider,
  query: pageQuery,
  replies: { 200: definePage(LlmProviderKey).meta({ id: "LlmProviderKeyPage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/llm-providers/{id}/keys",
  tag,
  summary: "Add a key to a provider",
  description:
    "The newest active key is handed out from then on. Keys that a test found refused or exhausted come last. Test it with `POST …/test`.",
  access: manageFresh,
  params: ofProvider,
  body: z.strictObject({ name: keyName.optional(), apiKey }),
  replies: { 201: one },
});

export const rotate = route({
  method: "post",
  path: "/v1/llm-providers/{id}/keys/{keyId}/rotate",
  tag,
  summary: "Replace a key by a new one",
  description:
    "The new key is handed out at once. The old one is kept for `overlapSeconds`, so that programs that already have it can finish, and is then deleted here. Revoke it at the provider too.",
  access: manageFresh,
  params: ofKey,
  body: z.strictObject({
    apiKey,
    overlapSeconds: z
      .int()
      .min(0)
      .max(2_592_000)
      .default(86_400)
      .describe(
        "How long the old key is kept: a day by default, 30 days at most. With 0 it is deleted at once.",
      ),
  }),
  replies: { 201: z.strictObject({ key: LlmProviderKey, previous: LlmProviderKey.nullable() }) },
  errors: { ...noKey, 409: "`key_already_rotated`: rotate the newer key." },
});

/** Both change whether a key is handed out, and reply with the key. */
const setDisabled = <Verb extends "disable" | "enable">(verb: Verb, summary: string, description: string) =>
  route({
    method: "post",
    path: `/v1/llm-providers/{id}/keys/{keyId}/${verb}`,
    tag,
    summary,
    description,
    access: manage,
    params: ofKey,
    replies: { 200: one },
    errors: noKey,
  });

export const disable = setDisabled(
  "disable",
  "Stop handing out a key at once",
  "Programs that already have it can use it until it is revoked at the provider.",
);

export const enable = setDisabled(
  "enable",
  "Hand out a disabled key again",
  "A key that was rotated still ends at its `retiresAt`.",
);

export const remove = route({
  method: "delete",
  path: "/v1/llm-providers/{id}/keys/{keyId}",
  tag,
  summary: "Delete a key",
  description: "It is not handed out any more. Revoke it at the provider too.",
  access: manage,
  params: ofKey,
  replies: { 204: null },
  errors: noKey,
});

export const test = route({
  method: "post",
  path: "/v1/llm-providers/{id}/test",
  tag,
  summary: "Test a key of a provider without cost",
  description:
    "Lists the provider's models with the key. Without `keyId`, tests the key that would be handed out. With `model`, also checks that the key can use the model; else the models in the provider's list. The result is kept with the key. At most 30 tests a minute.",
  access: manage,
  params: ofProvider,
  body: z.strictObject({ keyId: id.optional(), model: z.string().trim().min(1).max(200).optional() }),
  bodyOptional: true,
  replies: {
    200: z
      .strictObject({
        verdict: z
          .enum(verdicts)
          .describe(
            "`refused`: the provider does not accept the key. `model_not_allowed`: it accepts the key, but not for the model. `quota_exhausted`: no credit or rate is left. `wrong_address`: wrong region or base URL. `blocked_by_egress`: the egress guard of this instance forbids the address. `unavailable`: the provider did not answer.",
          ),
        message: z.string().describe("The result in a sentence, and what to do."),
        models: z
          .array(z.string())
          .optional()
          .describe("The models that the key can use, if the provider lists them."),
      })
      .meta({ id: "LlmProviderTest" }),
  },
  errors: { 409: "`no_usable_key`: the provider has no key that is not disabled." },
});
