import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import {
  type CatalogueModel,
  findKind,
  findModel,
  findPriceAt,
  guessProvider,
  loadCatalogue,
  normalizeModel,
} from "../catalogue/index.ts";
import { listPricesForPricing, type PricesForPricing } from "../prices/index.ts";
import { listKinds } from "../store.ts";
import { computeCost, type TokenUsage } from "./compute.ts";
import type { PriceBookJson } from "./store.ts";

/** The prices of an organization. Load it once for many reports. */
export interface PriceBook {
  overrides: PricesForPricing;
  /** The kind of each of the organization's providers. */
  kinds: ReadonlyMap<string, string>;
  /** Models of the catalogue that were looked up with this book. Comparing a name with all patterns takes long. */
  models: Map<string, CatalogueModel | undefined>;
}

export async function loadPriceBook(db: Db, orgId: OrgId): Promise<PriceBook> {
  const overrides = await listPricesForPricing(db, orgId);
  const kinds = new Map((await listKinds(db, orgId)).map(({ id, kind }) => [id, kind]));
  return { overrides, kinds, models: new Map() };
}

/** Reads what `selectPriceBook` returns. */
export const readPriceBook = ({ overrides, kinds }: PriceBookJson): PriceBook => ({
  overrides,
  kinds: new Map(Object.entries(kinds)),
  models: new Map(),
});

/** Whether the provider is a server of the organization itself, for which the catalogue has no prices. */
export function isOwnServer({ kinds }: PriceBook, provider: string | null): boolean {
  const kind = provider === null ? undefined : findKind(kinds.get(provider) ?? provider);
  return kind !== undefined && kind.prices === undefined;
}

export interface PricedRequest extends TokenUsage {
  /** A kind of provider, the id of an LLM provider, or null when it is not known. */
  provider: string | null;
  model: string | null;
  /** Milliseconds since 1970: the price of this time is used. */
  at: number;
}

/** The price that was used, for people who check a cost. */
export interface PriceReference {
  source: "catalogue" | "override";
  /** The id of the override. */
  id?: string;
  /** The date of the catalogue. */
  date?: string;
  provider: string;
  model: string;
  /** From when the price is valid: a day, or the time of the override as ISO 8601. Null: from the beginning. */
  validFrom: string | null;
}

export interface Priced {
  costMicros: number;
  price: PriceReference;
}

/** Undefined when there is no price, which is not the same as a cost of 0. */
export function priceTokens(book: PriceBook, request: PricedRequest): Priced | undefined {
  const { model, at } = request;
  if (model === null) return undefined;
  const provider = request.provider ?? guessProvider(model);
  if (provider === undefined) return undefined;
  const kind = book.kinds.get(provider) ?? provider;
  return (
    priceByOverride(book, [provider, kind], normalizeModel(model), at, request) ??
    priceByCatalogue(book, kind, model, at, request)
  );
}

function priceByOverride(
  { overrides }: PriceBook,
  providers: readonly string[],
  model: string,
  at: number,
  usage: TokenUsage,
): Priced | undefined {
  for (const provider of new Set(providers)) {
    // The latest override comes first.
    const found = overrides.find(
      (one) => one.provider === provider && one.model === model && one.validFrom <= at,
    );
    const costMicros = found && computeCost(found.rates, usage);
    if (costMicros === undefined) continue;
    const { id, validFrom } = found!;
    const price = { source: "override" as const, id, provider, model };
    return { costMicros, price: { ...price, validFrom: new Date(validFrom).toISOString() } };
  }
  return undefined;
}

function priceByCatalogue(
  { models }: PriceBook,
  kind: string,
  name: string,
  at: number,
  usage: TokenUsage,
): Priced | undefined {
  const key = `${kind} ${name}`;
  if (!models.has(key)) models.set(key, findModel(kind, name));
  const model = models.get(key);
  if (!model) return undefined;
  const rates = findPriceAt(model, at);
  const costMicros = computeCost(rates, usage);
  if (costMicros === undefined) return undefined;
  const price = { source: "catalogue" as const, date: loadCatalogue().date, provider: kind, model: model.id };
  return { costMicros, price: { ...price, validFrom: rates.from ?? null } };
}
