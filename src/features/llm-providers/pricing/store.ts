import type { OrgId } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/db/index.ts";
import { normalizeModel } from "../catalogue/index.ts";
import { type PricesForPricing, selectPricesForPricing } from "../prices/index.ts";
import { selectKinds } from "../store.ts";

/** A price book as a column of a statement that reads other things too. It has what these requests need. */
export const selectPriceBook = (
  orgId: OrgId,
  requests: readonly { provider: string | null; model: string | null }[],
): Sql => {
  const models = requests.flatMap(({ model }) => (model === null ? [] : [normalizeModel(model)]));
  const providers = requests.flatMap(({ provider }) => (provider === null ? [] : [provider]));
  return sql`jsonb_build_object('overrides', ${selectPricesForPricing(orgId, [...new Set(models)])},
    'kinds', ${selectKinds(orgId, [...new Set(providers)])})`;
};

/** What `selectPriceBook` returns. */
export interface PriceBookJson {
  overrides: PricesForPricing;
  kinds: Record<string, string>;
}
