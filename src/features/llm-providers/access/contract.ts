import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

const tag = "LLM Providers";

/** Names of models. `*` at the end stands for any rest. */
export const modelList = z
  .array(
    z
      .string()
      .trim()
      .min(1)
      .max(200)
      .regex(/^[^*]*\*?$/, "An asterisk is only allowed at the end."),
  )
  .max(500)
  .transform((names) => [...new Set(names)])
  .describe("Names of models. `*` at the end stands for any rest: `claude-*`.");

const id = z.string().min(1).max(160);
const ids = z
  .array(id)
  .max(500)
  .transform((given) => [...new Set(given)]);

const LlmProviderAccess = z
  .strictObject({
    organization: z.boolean().describe("Every member of the organization may use the provider."),
    teamIds: z.array(z.string()).describe("The teams whose members may use it."),
    memberIds: z.array(z.string()).describe("The members who may use it."),
    workerIds: z.array(z.string()).describe("The workers that may use it. They are set with the worker."),
    models: z
      .array(z.string())
      .nullable()
      .describe("The only models that anybody may use. Null: all models."),
    modelsBySubject: z
      .record(z.string(), z.array(z.string()))
      .describe(
        "The only models for a team, a member, or the organization as a whole, by its id. Somebody with several grants may use the models of all of them.",
      ),
  })
  .meta({ id: "LlmProviderAccess" });
export type LlmProviderAccess = z.output<typeof LlmProviderAccess>;

const reply = z.strictObject({ access: LlmProviderAccess });
const params = z.strictObject({ id });

export const read = route({
  method: "get",
  path: "/v1/llm-providers/{id}/access",
  tag,
  summary: "Read who may use an LLM provider",
  description:
    "The organization, teams, members and workers that it is granted to, and the models they may use.",
  access: can("llm_providers:manage"),
  params,
  replies: { 200: reply },
});

export const replace = route({
  method: "put",
  path: "/v1/llm-providers/{id}/access",
  tag,
  summary: "Say who may use an LLM provider",
  description:
    "Replaces all grants to people. Omitted lists are empty, and omitted `models` do not change. Grants to workers are set with the worker. A member who loses access gets no credential from then on; what was handed out before works until the key is revoked at the provider.",
  access: can("llm_providers:manage"),
  params,
  body: z.strictObject({
    organization: z.boolean().default(false),
    teamIds: ids.default([]),
    memberIds: ids.default([]),
    models: modelList.nullish(),
    modelsBySubject: z
      .record(id, modelList)
      .default({})
      .describe("The only models for a team, a member, or the organization as a whole, by its id."),
  }),
  replies: { 200: reply },
});
export type NewAccess = z.output<(typeof replace)["body"]>;
