import { z } from "zod";
import { definePage, lineOfText, pageQuery, route } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { can } from "../permissions/index.ts";
import { modelList } from "./access/index.ts";
import { kindNames } from "./catalogue/index.ts";
import { apiKey } from "./keys/index.ts";

const tag = "LLM Providers";
const use = can("llm_providers:use");
const manage = can("llm_providers:manage");

const LlmProvider = z
  .strictObject({
    id: idSchema("llp"),
    kind: z.enum(kindNames).describe("The kind of service. It decides the form of requests and the prices."),
    name: z.string(),
    baseUrl: z.string().describe("The address that requests are sent to."),
    models: z
      .array(z.string())
      .nullable()
      .describe("The only models that may be used. `*` at the end stands for any rest. Null: all models."),
    enabled: z.boolean().describe("False: its credential is not handed out."),
    keyTail: z
      .string()
      .nullable()
      .describe("The last characters of the newest active key. Null: there is none."),
    keys: z.int().describe("The number of keys that are not disabled."),
    createdBy: z.string(),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "LlmProvider" });
export type LlmProvider = z.output<typeof LlmProvider>;

const one = z.strictObject({ llmProvider: LlmProvider });
const params = z.strictObject({ id: z.string().min(1).max(160) });
const name = lineOfText(80);
const baseUrl = z.string().trim().min(1).max(2048);
const errors = { 409: "`llm_provider_name_taken`: another provider has this name." };

export const list = route({
  method: "get",
  path: "/v1/llm-providers",
  tag,
  summary: "List LLM providers",
  description:
    "Newest first. Lists the providers that the caller was granted, or with `llm_providers:manage` all of them. Keys are never shown.",
  access: use,
  query: pageQuery,
  replies: { 200: definePage(LlmProvider).meta({ id: "LlmProviderPage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/llm-providers",
  tag,
  summary: "Add an LLM provider",
  description:
    "`GET /v1/llm-provider-catalog` lists the kinds. Nobody may use a new provider until `PUT …/access` grants it. `apiKey` is stored sealed and never shown again; it can be omitted for the organization's own servers (`ollama`, `vllm`, `openai_compatible`).",
  access: can("llm_providers:manage", { fresh: true }),
  body: z.strictObject({
    kind: z.enum(kindNames),
    name,
    baseUrl: baseUrl
      .optional()
      .describe("Needed for kinds without a fixed address. It must be https, or a loopback address."),
    apiKey: apiKey.optional(),
    models: modelList.nullish(),
  }),
  replies: { 201: one },
  errors,
});
export type NewProvider = z.output<(typeof create)["body"]>;

export const read = route({
  method: "get",
  path: "/v1/llm-providers/{id}",
  tag,
  summary: "Read an LLM provider",
  description: "Without its keys.",
  access: use,
  params,
  replies: { 200: one },
});

export const change = route({
  method: "patch",
  path: "/v1/llm-providers/{id}",
  tag,
  summary: "Change an LLM provider",
  description:
    "Omitted fields do not change. With `enabled` false, its credential is not handed out from then on. Keys are only sent to the server that they were given for, so the base URL can move to another server only when the provider has no keys.",
  access: manage,
  params,
  body: z.strictObject({ name, baseUrl, models: modelList.nullable(), enabled: z.boolean() }).partial(),
  replies: { 200: one },
  errors: {
    409: "`llm_provider_name_taken`: another provider has this name. `keys_bound_to_address`: delete its keys first.",
  },
});
export type ProviderChange = z.output<(typeof change)["body"]>;

export const remove = route({
  method: "delete",
  path: "/v1/llm-providers/{id}",
  tag,
  summary: "Remove an LLM provider and its keys",
  description:
    "Its grants and its budgets are removed too. Runs of automations that name it fail when they are claimed.",
  access: manage,
  params,
  replies: { 204: null },
});
