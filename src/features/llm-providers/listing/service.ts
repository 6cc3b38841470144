import type { MemberCtx } from "../../../platform/context.ts";
import { cutPage, defineNumberCursor } from "../../../platform/http/index.ts";
import {
  type CatalogueModel,
  type CataloguePrice,
  findPriceAt,
  kindNames,
  loadCatalogue,
  type ProviderKind,
  providerKinds,
  type Rate,
  type Rates,
} from "../catalogue/index.ts";
import { listPricesForPricing, type PricesForPricing } from "../prices/index.ts";
import type { CatalogQuery, LlmModel, LlmModelPrice } from "./contract.ts";

export async function list({ db, orgId }: MemberCtx, query: CatalogQuery) {
  const cursor = defineNumberCursor(`models of ${query.kind}`);
  const start = cursor.read(query, 0);
  const { date, currency, sources, providers } = loadCatalogue();
  const listModels = ({ prices }: ProviderKind) => (prices ? (providers[prices]?.models ?? []) : []);
  const kinds = kindNames.map((kind) => {
    const type: ProviderKind = providerKinds[kind];
    const { name, baseUrl, example = null, keyOptional = false, documentation } = type;
    const pricingUrl = (type.prices && providers[type.prices]?.pricingUrl) ?? null;
    const models = listModels(type).length;
    return { kind, name, baseUrl, example, keyOptional, documentation, pricingUrl, models };
  });
  const catalog = { date, currency, sources: sources.map((source) => ({ date: null, ...source })), kinds };
  if (query.kind === undefined) return { catalog, items: [], nextCursor: null };
  const { kind } = query;
  const overrides = (await listPricesForPricing(db, orgId)).filter(({ provider }) => provider === kind);
  const rows = listModels(providerKinds[kind])
    .slice(start, start + query.limit + 1)
    .map((model, i) => ({ ...describeModel(model, overrides), position: start + i + 1 }));
  const { items, nextCursor } = cutPage(rows, query, ({ position }) => cursor.write(position));
  return { catalog, items: items.map(({ position: _, ...model }) => model), nextCursor };
}

function describeModel(model: CatalogueModel, overrides: PricesForPricing): LlmModel {
  const now = Date.now();
  const own = overrides
    .filter((override) => override.model === model.id.toLowerCase())
    .map(({ id, validFrom, rates }) => describePrice(rates, { source: "override", id, validFrom }));
  const toPrice = (price: CataloguePrice) =>
    describePrice(price, {
      source: "catalogue",
      id: null,
      validFrom: price.from === undefined ? null : Date.parse(price.from),
    });
  return {
    id: model.id,
    name: model.name ?? null,
    contextTokens: model.context ?? null,
    maxOutputTokens: model.maxOutput ?? null,
    capabilities: model.capabilities ? [...model.capabilities] : null,
    retiresOn: typeof model.retired === "string" ? model.retired : null,
    retired: model.retired === true || (model.retired !== undefined && Date.parse(model.retired) <= now),
    price: own.find(({ validFrom }) => validFrom! <= now) ?? toPrice(findPriceAt(model, now)),
    prices: [...own, ...model.prices.map(toPrice)],
  };
}

function describePrice(
  price: Rates & Pick<CataloguePrice, "hours">,
  origin: Pick<LlmModelPrice, "source" | "id" | "validFrom">,
): LlmModelPrice {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, hours } = price;
  const tiered = [input, output, cacheRead, cacheWrite, cacheWrite1h];
  const starts = new Set(tiered.flatMap((rate) => listTiers(rate).map(([start]) => start)));
  return {
    ...origin,
    hours: hours ? { fromSecond: hours[0], toSecond: hours[1] } : null,
    ...findRates(price, 0),
    tiers: [...starts]
      .sort((one, other) => one - other)
      .map((aboveInputTokens) => ({ aboveInputTokens, ...findRates(price, aboveInputTokens + 1) })),
  };
}

const listTiers = (rate: Rate | undefined) =>
  rate === undefined || typeof rate === "number" ? [] : rate.slice(1).map((tier) => tier as [number, number]);

function findRates(price: Rates, inputTokens: number) {
  const find = (rate: Rate | undefined): number | null => {
    if (rate === undefined) return null;
    const base = typeof rate === "number" ? rate : rate[0];
    return listTiers(rate).findLast(([start]) => inputTokens > start)?.[1] ?? base;
  };
  return {
    input: find(price.input),
    output: find(price.output),
    cacheRead: find(price.cacheRead),
    cacheWrite: find(price.cacheWrite),
    cacheWrite1h: find(price.cacheWrite1h),
    request: find(price.request),
  };
}
