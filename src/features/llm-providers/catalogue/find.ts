import { type CatalogueModel, type CataloguePrice, loadCatalogue, type NamePattern } from "./data.ts";
import { findKind } from "./kinds.ts";

/** `name` has no capital letters. */
function matches(pattern: NamePattern, name: string): boolean {
  if (typeof pattern !== "string")
    return "all" in pattern
      ? pattern.all.every((one) => matches(one, name))
      : pattern.some((one) => matches(one, name));
  const text = pattern.slice(1);
  switch (pattern[0]) {
    case "=":
      return name === text;
    case "^":
      return name.startsWith(text);
    case "$":
      return name.endsWith(text);
    case "*":
      return name.includes(text);
    default:
      return new RegExp(text).test(name);
  }
}

/** Finds the model that a provider calls by this name, for example with the date of its version. */
export function findModel(provider: string, name: string): CatalogueModel | undefined {
  const given = normalizeModel(name);
  const prices = findKind(provider)?.prices ?? provider;
  return findListed(prices, given) ?? findListed(prices, given.replaceAll(compactDate, "-$1-$2-$3"));
}

export const normalizeModel = (name: string) => name.trim().toLowerCase();

/** A date without separators at the end of a part of the name: `-20260102`. */
const compactDate = /-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g;

function findListed(provider: string, name: string, withFallback = true): CatalogueModel | undefined {
  const { providers } = loadCatalogue();
  if (!Object.hasOwn(providers, provider)) return undefined;
  const { models, fallback = [] } = providers[provider]!;
  const found = models.find(({ match }) => matches(match, name));
  if (found || !withFallback) return found;
  for (const other of fallback) {
    const model = findListed(other, name, false);
    if (model) return model;
  }
  return undefined;
}

/** Guesses the provider from the name of a model, for reports that name no provider. */
export function guessProvider(name: string): string | undefined {
  const given = normalizeModel(name);
  return Object.entries(loadCatalogue().providers).find(
    ([, { match }]) => match !== undefined && matches(match, given),
  )?.[0];
}

/** The price of a model at a time. */
export function findPriceAt({ prices }: CatalogueModel, at: number): CataloguePrice {
  const second = Math.floor((at % 86_400_000) / 1000);
  const valid = prices.findLast(({ from, hours }) => {
    if (from !== undefined) return at >= Date.parse(from);
    if (hours === undefined) return true;
    const [start, end] = hours;
    return end < start ? second >= start || second < end : second >= start && second < end;
  });
  return valid ?? prices[0]!;
}
