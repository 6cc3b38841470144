import type { listForPricing } from "./store.ts";

export { routes } from "./routes.ts";
export {
  listForPricing as listPricesForPricing,
  selectForPricing as selectPricesForPricing,
} from "./store.ts";
export type PricesForPricing = Awaited<ReturnType<typeof listForPricing>>;
