export { findContradiction, type TokenUsage } from "./compute.ts";
export {
  isOwnServer,
  loadPriceBook,
  type PriceBook,
  type PriceReference,
  priceTokens,
  readPriceBook,
} from "./price-book.ts";
export { type PriceBookJson, selectPriceBook } from "./store.ts";
