import { createRequire } from "node:module";

/** A condition on the name of a model. A list means that one of them is enough. */
export type NamePattern = string | readonly NamePattern[] | { all: readonly NamePattern[] };

/** Micro-units per million tokens: one rate, or the first rate and then each `[more input tokens than, rate]`. */
export type Rate = number | readonly [number, ...(readonly [number, number])[]];

export interface Rates {
  input?: Rate;
  output?: Rate;
  cacheRead?: Rate;
  cacheWrite?: Rate;
  /** Writes to a cache that lasts an hour. */
  cacheWrite1h?: Rate;
  /** Micro-units per thousand requests. */
  request?: number;
}

export interface CataloguePrice extends Rates {
  /** The first day, in UTC. Without it, from the beginning. */
  from?: string;
  /** Only between these seconds of a day in UTC. */
  hours?: readonly [number, number];
}

export interface CatalogueModel {
  id: string;
  name?: string;
  match: NamePattern;
  /** Input tokens. */
  context?: number;
  maxOutput?: number;
  capabilities?: readonly string[];
  /** The day on which the provider ends the model, or true when the day is not known. */
  retired?: string | true;
  /** The last one that applies is valid. */
  prices: readonly CataloguePrice[];
}

export interface CatalogueProvider {
  pricingUrl?: string;
  /** The names of models that belong to this provider when no provider is named. */
  match?: NamePattern;
  /** Providers whose prices apply to models that are not listed. */
  fallback?: readonly string[];
  models: readonly CatalogueModel[];
}

export interface Catalogue {
  /** The day on which it was written. */
  date: string;
  currency: "USD";
  sources: readonly {
    name: string;
    version: string;
    date?: string;
    license: string;
    url: string;
    provides: string;
  }[];
  providers: Readonly<Record<string, CatalogueProvider>>;
}

const require = createRequire(import.meta.url);

/** Reads the file on the first call. Node keeps it for later calls. */
export const loadCatalogue = (): Catalogue => require("./data.json");
