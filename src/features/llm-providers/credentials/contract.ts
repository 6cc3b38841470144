import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { canWithMachines } from "../../permissions/index.ts";
import { kindNames } from "../catalogue/index.ts";

export const issue = route({
  method: "get",
  path: "/v1/llm-providers/{id}/credential",
  changes: true,
  tag: "LLM Providers",
  summary: "Get the credential of an LLM provider, for an agent",
  description:
    "For those who were granted the provider: a member with a session or an API key, a worker, and the program of a run whose automation names the provider as its model's `providerId`. Each hand-out is recorded in the audit log. At most 120 a minute for each credential. Keep it in memory only, and ask again when the provider answers 401: the key may have been rotated.",
  access: canWithMachines("llm_providers:use", { credentials: ["session", "key", "run", "worker"] }),
  params: z.strictObject({ id: z.string().min(1).max(160) }),
  query: z.strictObject({
    model: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe("The model that will be used. Required when the models are limited."),
  }),
  replies: {
    200: z
      .strictObject({
        providerId: idSchema("llp"),
        kind: z.enum(kindNames),
        keyId: idSchema("llk").nullable(),
        apiKey: z.string().nullable().describe("The key. Null: the server needs none."),
        baseUrl: z.string(),
        headers: z
          .record(z.string(), z.string())
          .describe("The headers that each request needs, with the key."),
        models: z
          .array(z.string())
          .nullable()
          .describe("The only models that the caller may use. Null: all models."),
        retiresAt: z
          .int()
          .nullable()
          .describe("When the key stops being handed out because it was rotated. Null: not planned."),
      })
      .meta({ id: "LlmCredential" }),
  },
  errors: {
    402: "`budget_exceeded`: a budget of the organization, a team, the member or the provider is spent. `budget` names it.",
    403: {
      description:
        "`not_granted`: ask an admin for access. `model_not_allowed`: `models` lists those that are. `provider_disabled`: an admin disabled it.",
      schema: z
        .strictObject({
          error: z.enum(["forbidden", "reauth"]),
          reason: z.string().optional(),
          message: z.string().optional(),
          models: z
            .array(z.string())
            .optional()
            .describe("With `model_not_allowed`: the models that the caller may use, at most 100."),
        })
        .meta({ id: "LlmCredentialForbidden" }),
    },
    409: "`no_usable_key`: the provider has no key that is not disabled.",
  },
});
