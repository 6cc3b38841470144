import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";
import { kindNames } from "../catalogue/index.ts";

const rate = z.int().min(0).nullable();

/** Micro-units per million tokens. */
const rates = {
  input: rate,
  output: rate,
  cacheRead: rate.describe("Reads from a cache. Null: they cost as much as other input."),
  cacheWrite: rate.describe("Writes to a cache. Null: they cost as much as other input."),
  cacheWrite1h: rate.describe("Writes to a cache that lasts an hour. Null: as other writes."),
  request: rate.describe("Micro-units per thousand requests, in addition to tokens."),
};

const LlmModelPrice = z
  .strictObject({
    source: z.enum(["catalogue", "override"]).describe("`override`: a price of the organization."),
    id: z.string().nullable().describe("The id of the organization's price."),
    validFrom: z.int().nullable().describe("From when it is valid. Null: from the beginning."),
    hours: z
      .strictObject({ fromSecond: z.int(), toSecond: z.int() })
      .nullable()
      .describe("Only between these seconds of a day in UTC. Null: the whole day."),
    ...rates,
    tiers: z
      .array(z.strictObject({ aboveInputTokens: z.int(), ...rates }))
      .describe("Prices of requests with more input tokens than this."),
  })
  .meta({ id: "LlmModelPrice" });
export type LlmModelPrice = z.output<typeof LlmModelPrice>;

const LlmModel = z
  .strictObject({
    id: z.string(),
    name: z.string().nullable(),
    contextTokens: z.int().nullable().describe("The most input tokens. Null: not known."),
    maxOutputTokens: z.int().nullable().describe("The most output tokens. Null: not known."),
    capabilities: z
      .array(z.string())
      .nullable()
      .describe("`vision`, `tools`, `cache`, `reasoning`, `pdf`, `audio`. Null: not known."),
    retiresOn: z.string().nullable().describe("The day on which the provider ends it, if known."),
    retired: z.boolean(),
    price: LlmModelPrice.describe("The price that is valid now."),
    prices: z.array(LlmModelPrice).describe("All prices, with those of the past and the future."),
  })
  .meta({ id: "LlmModel" });
export type LlmModel = z.output<typeof LlmModel>;

const LlmProviderKind = z
  .strictObject({
    kind: z.enum(kindNames),
    name: z.string(),
    baseUrl: z.string().nullable().describe("The fixed address. Null: it must be given."),
    example: z.string().nullable().describe("An example of an address, for kinds without a fixed one."),
    keyOptional: z.boolean().describe("The organization's own servers may need no key."),
    documentation: z.string(),
    pricingUrl: z.string().nullable(),
    models: z.int().describe("The number of models with a known price."),
  })
  .meta({ id: "LlmProviderKind" });

const LlmProviderCatalog = z
  .strictObject({
    date: z.string().describe("The day on which the catalogue was written."),
    currency: z.string(),
    sources: z.array(
      z.strictObject({
        name: z.string(),
        version: z.string(),
        date: z.string().nullable(),
        license: z.string(),
        url: z.string(),
        provides: z.string(),
      }),
    ),
    kinds: z.array(LlmProviderKind),
  })
  .meta({ id: "LlmProviderCatalog" });

export const list = route({
  method: "get",
  path: "/v1/llm-provider-catalog",
  tag: "LLM Providers",
  summary: "Read the catalogue of providers, models and prices",
  description:
    "Prices are in micro-units: millionths of a dollar per million tokens. With `kind`, lists the models of the kind, with the organization's own prices. The catalogue is part of the program and is updated with it; `PUT /v1/llm-prices` overrides a price.",
  access: can("llm_providers:use"),
  query: z.strictObject({
    kind: z.enum(kindNames).optional().describe("List the models of this kind of provider."),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor: z.string().max(500).optional(),
  }),
  replies: {
    200: z
      .strictObject({
        catalog: LlmProviderCatalog,
        items: z.array(LlmModel),
        nextCursor: z.string().nullable(),
      })
      .meta({ id: "LlmProviderCatalogPage" }),
  },
});
export type CatalogQuery = z.output<(typeof list)["query"]>;
