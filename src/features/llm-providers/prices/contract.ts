import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const tag = "LLM Providers";
const manage = can("llm_providers:manage");

/** A million dollars per million tokens. */
const rate = z.int().min(0).max(1_000_000_000_000).optional();

const Rates = z.strictObject({
  input: rate,
  output: rate,
  cacheRead: rate.describe("Reads from a cache. Omitted: they cost as much as other input."),
  cacheWrite: rate.describe("Writes to a cache. Omitted: they cost as much as other input."),
  cacheWrite1h: rate.describe("Writes to a cache that lasts an hour. Omitted: as other writes."),
  request: rate.describe("Micro-units per thousand requests, in addition to tokens."),
});

const LlmPrice = z
  .strictObject({
    id: idSchema("lpr"),
    provider: z.string().describe("A kind of provider, or the id of one of the organization's providers."),
    model: z.string().describe("The name of the model, in lower case."),
    validFrom: z.int().describe("From when the price is valid, until the next one begins."),
    rates: Rates.describe("Micro-units per million tokens."),
    note: z.string(),
    createdBy: z.string(),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "LlmPrice" });

export const list = route({
  method: "get",
  path: "/v1/llm-prices",
  tag,
  summary: "List the organization's own prices",
  description: "Newest first. They come before the prices of the catalogue.",
  access: can("llm_providers:use"),
  query: pageQuery,
  replies: { 200: definePage(LlmPrice).meta({ id: "LlmPricePage" }) },
});

export const save = route({
  method: "put",
  path: "/v1/llm-prices",
  tag,
  summary: "Set a price from a time on",
  description:
    "A second request for the same provider, model and `validFrom` replaces the price. With `validFrom` in the past, the costs of reports since then that were computed are computed again, and what was spent changes with them. Costs that runners reported do not change.",
  access: manage,
  body: z.strictObject({
    provider: z.string().trim().min(1).max(160),
    model: z.string().trim().toLowerCase().min(1).max(200),
    validFrom: z
      .int()
      .min(Date.UTC(2000, 0, 1))
      .max(Date.UTC(9999, 11, 31)),
    rates: Rates.refine(
      ({ input, output, request }) => input !== undefined || output !== undefined || request !== undefined,
      "Give a price for input, output or requests.",
    ),
    note: z.string().trim().max(500).default("").describe("Where the price comes from, for people."),
  }),
  replies: {
    200: z.strictObject({
      price: LlmPrice,
      recomputing: z
        .boolean()
        .describe("True when costs since `validFrom` are computed again in the background."),
    }),
  },
});
export type NewPrice = z.output<(typeof save)["body"]>;

export const remove = route({
  method: "delete",
  path: "/v1/llm-prices/{id}",
  tag,
  summary: "Remove a price",
  description:
    "The price before it is valid again, or that of the catalogue. Computed costs are computed again.",
  access: manage,
  params: z.strictObject({ id: z.string().min(1).max(160) }),
  replies: { 204: null },
});

export const recompute = route({
  method: "post",
  path: "/v1/llm-prices/recompute",
  tag,
  summary: "Compute costs again with the current prices",
  description:
    "For reports since `fromAt` whose cost was computed or is not known, for example after an update with a newer catalogue. It works in the background.",
  access: manage,
  body: z.strictObject({
    fromAt: z
      .int()
      .min(0)
      .max(Date.UTC(9999, 11, 31)),
  }),
  replies: { 202: z.strictObject({ recomputing: z.literal(true) }) },
});
