import type { FieldGuide } from "../../platform/http/index.ts";

const provider = "llp_01jz8q2d9xf4vvh0tbq8k3m5na";
const key = "llk_01jz8q2d9xf4vvh0tbq8k3m5na";
const price = "lpr_01jz8q2d9xf4vvh0tbq8k3m5na";
const budget = "lbg_01jz8q2d9xf4vvh0tbq8k3m5na";
const organization = "org_01jz8q2d9xf4vvh0tbq8k3m5na";
const member = "mem_01jz8q2d9xf4vvh0tbq8k3m5na";
const team = "team_01jz8q2d9xf4vvh0tbq8k3m5na";
const at = 1_793_611_800_000;
const apiKey = "sk-ant-api03-EXAMPLE-KEY-WXYZ";
const baseUrl = "https://api.anthropic.com";
const sources = [
  {
    name: "genai-prices",
    version: "0.1.8",
    date: null,
    license: "MIT",
    url: "https://github.com/pydantic/genai-prices",
    provides: "prices, context windows",
  },
];
const kinds = [
  {
    kind: "anthropic",
    name: "Anthropic",
    baseUrl,
    example: null,
    keyOptional: false,
    documentation: "https://docs.anthropic.com/en/api/overview",
    pricingUrl: "https://www.anthropic.com/pricing#api",
    models: 23,
  },
];
const rates = {
  input: 2_000_000,
  output: 10_000_000,
  cacheRead: 200_000,
  cacheWrite: 2_500_000,
  cacheWrite1h: 4_000_000,
};
const modelPrice = {
  source: "catalogue",
  id: null,
  validFrom: null,
  hours: null,
  ...rates,
  request: null,
  tiers: [],
};
const providerExample = {
  id: provider,
  kind: "anthropic",
  name: "Claude",
  baseUrl,
  models: ["claude-*"],
  enabled: true,
  keyTail: "WXYZ",
  keys: 1,
  createdBy: member,
  createdAt: at,
  updatedAt: at,
};
const keyExample = {
  id: key,
  providerId: provider,
  name: "Key",
  tail: "WXYZ",
  status: "active",
  retiresAt: null,
  replacedBy: null,
  lastVerdict: "valid",
  lastMessage: "api.anthropic.com accepts the key and offers 9 models.",
  lastTestedAt: at,
  lastIssuedAt: at,
  createdBy: member,
  createdAt: at,
};
const limitMicros = "Millionths of a dollar.";
const warningPercent = "The share of the limit at which people are notified.";
const mode = "`budget` refuses once it is spent. `alert` only notifies.";

/** Fields of LLM providers, their keys, prices and budgets. */
export const fields: FieldGuide = {
  "/v1/llm-providers/{id}": ["The LLM provider.", provider],
  "/v1/llm-providers/{id}/keys/{keyId}": ["The key.", key],
  "/v1/llm-prices/{id}": ["The price.", price],
  "/v1/llm-budgets/{id}": ["The budget or alert.", budget],
  "getV1LlmProvidersByIdCredential.model": ["The model that will be used.", "claude-sonnet-5"],
  "getV1LlmProviderCatalog.kind": ["The kind of provider.", "anthropic"],
  LlmProvider: ["A whole example.", providerExample],
  llmProvider: ["The LLM provider, without its keys."],
  LlmProviderKey: ["A whole example.", keyExample],
  "LlmProviderKey.lastTestedAt": ["When it was last tested."],
  LlmProviderAccess: [
    "A whole example.",
    {
      organization: false,
      teamIds: [team],
      memberIds: [member],
      workerIds: [],
      models: ["claude-*"],
      modelsBySubject: { [team]: ["claude-sonnet-5"] },
    },
  ],
  LlmCredential: [
    "A whole example.",
    {
      providerId: provider,
      kind: "anthropic",
      keyId: key,
      apiKey,
      baseUrl,
      headers: { "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
      models: ["claude-sonnet-5"],
      retiresAt: null,
    },
  ],
  LlmCredentialForbidden: [
    "A whole example.",
    {
      error: "forbidden",
      reason: "model_not_allowed",
      message: "You may not use the model claude-opus-5 here. Choose one of models, or ask an admin.",
      models: ["claude-sonnet-5"],
    },
  ],
  LlmProviderTest: [
    "A whole example.",
    {
      verdict: "valid",
      message: "api.anthropic.com accepts the key and offers 1 model.",
      models: ["claude-sonnet-5"],
    },
  ],
  "postV1LlmProviders request": ["A whole example.", { kind: "anthropic", name: "Claude", apiKey }],
  "postV1LlmProviders.models": ["The only models that may be used. Null: all models."],
  "patchV1LlmProvidersById.models": ["The only models that may be used. Null: all models."],
  "patchV1LlmProvidersById request": ["A whole example.", { models: ["claude-*"] }],
  "putV1LlmProvidersByIdAccess.models": ["The only models that anybody may use. Null: all models."],
  "putV1LlmProvidersByIdAccess request": ["A whole example.", { teamIds: [team], models: ["claude-*"] }],
  "postV1LlmProvidersByIdKeys request": ["A whole example.", { apiKey }],
  "postV1LlmProvidersByIdKeysByKeyIdRotate request": ["A whole example.", { apiKey, overlapSeconds: 86_400 }],
  "postV1LlmProvidersByIdTest request": ["A whole example.", { model: "claude-sonnet-5" }],
  LlmModelPrice: ["A whole example.", modelPrice],
  "LlmModelPrice.input": ["Micro-units per million input tokens. Null: there is no price."],
  "LlmModelPrice.output": ["Micro-units per million output tokens. Null: there is no price."],
  "LlmModelPrice.tiers.input": ["Micro-units per million input tokens."],
  "LlmModelPrice.tiers.output": ["Micro-units per million output tokens."],
  "LlmModelPrice.tiers.aboveInputTokens": ["The tier applies to requests with more input tokens."],
  "LlmModelPrice.hours.fromSecond": ["The first second of the day, in UTC."],
  "LlmModelPrice.hours.toSecond": ["The second of the day at which it ends, in UTC."],
  LlmModel: [
    "A whole example.",
    {
      id: "claude-sonnet-5",
      name: "Claude Sonnet 5",
      contextTokens: 1_000_000,
      maxOutputTokens: 64_000,
      capabilities: ["vision", "tools", "cache"],
      retiresOn: null,
      retired: false,
      price: modelPrice,
      prices: [modelPrice],
    },
  ],
  "LlmModel.retired": ["True after the provider has ended it."],
  LlmProviderKind: ["A whole example.", kinds[0]],
  "LlmProviderKind.pricingUrl": ["Where the provider publishes its prices."],
  LlmProviderCatalog: ["A whole example.", { date: "2026-11-16", currency: "USD", sources, kinds }],
  "LlmProviderCatalog.currency": ["The currency of all prices."],
  "LlmProviderCatalog.sources": ["Where the data comes from."],
  "LlmProviderCatalog.sources.date": ["The date of the source, if it has one."],
  "LlmProviderCatalog.sources.license": ["The licence of the data."],
  "LlmProviderCatalog.sources.provides": ["The data that was taken from it."],
  "LlmProviderCatalog.kinds": ["The kinds of providers."],
  "LlmProviderCatalogPage.catalog": ["The catalogue, without its models."],
  LlmPrice: [
    "A whole example.",
    {
      id: price,
      provider: "anthropic",
      model: "claude-sonnet-5",
      validFrom: at,
      rates,
      note: "Our contract of 2026.",
      createdBy: member,
      createdAt: at,
      updatedAt: at,
    },
  ],
  "LlmPrice.rates.input": ["Micro-units per million input tokens."],
  "LlmPrice.rates.output": ["Micro-units per million output tokens."],
  "LlmPrice.note": ["Where the price comes from, for people."],
  "putV1LlmPrices request": [
    "A whole example.",
    { provider: "anthropic", model: "claude-sonnet-5", validFrom: at, rates, note: "Our contract of 2026." },
  ],
  "putV1LlmPrices.validFrom": ["From when the price is valid."],
  "putV1LlmPrices.rates": ["Micro-units per million tokens."],
  "putV1LlmPrices.rates.input": ["Micro-units per million input tokens."],
  "putV1LlmPrices.rates.output": ["Micro-units per million output tokens."],
  "putV1LlmPrices.price": ["The price."],
  "postV1LlmPricesRecompute.fromAt": ["Reports since this time.", at],
  "postV1LlmPricesRecompute.recomputing": ["The work has been queued.", true],
  LlmBudget: [
    "A whole example.",
    {
      id: budget,
      subject: { kind: "organization", id: organization, name: "Acme" },
      period: "month",
      mode: "budget",
      limitMicros: 50_000_000,
      warningPercent: 80,
      spentMicros: 12_450_000,
      state: "within",
      periodStartAt: 1_793_491_200_000,
      resetsAt: 1_796_083_200_000,
      createdAt: at,
      updatedAt: at,
    },
  ],
  "LlmBudget.periodStartAt": ["When the period began."],
  "postV1LlmBudgets request": [
    "A whole example.",
    { subject: { kind: "team", id: team }, period: "month", limitMicros: 50_000_000 },
  ],
  "postV1LlmBudgets.period": ["A calendar day, week or month in UTC. A week begins on Monday."],
  "postV1LlmBudgets.mode": [mode],
  "postV1LlmBudgets.limitMicros": [limitMicros],
  "postV1LlmBudgets.warningPercent": [warningPercent],
  "patchV1LlmBudgetsById request": ["A whole example.", { limitMicros: 75_000_000 }],
  "patchV1LlmBudgetsById.mode": [mode],
  "patchV1LlmBudgetsById.limitMicros": [limitMicros],
  "patchV1LlmBudgetsById.warningPercent": [warningPercent],
};
