export { isConsistent, type TokenUsage } from "./compute.ts";
export {
  isOwnServer,
  loadPriceBook,
  type PriceBook,
  type PriceReference,
  priceTokens,
} from "./price-book.ts";
