import type { OrgId, Platform } from "../../../platform/context.ts";
import {
  adjustSpend,
  checkBudgets,
  isProviderId,
  loadPriceBook,
  type PriceBook,
} from "../../llm-providers/index.ts";
import { computeReportCost } from "./service.ts";
import * as store from "./store.ts";

const batchSize = 200;

export interface Recomputation {
  orgId: string;
  /** In lower case. Null: every model. */
  model: string | null;
  fromAt: number;
}

/**
 * Computes costs again after a price was corrected, in batches. Reports whose cost does not change are not written, so
 * it can be repeated from the start after a crash.
 */
export async function recomputeCosts(
  { db }: Pick<Platform, "db">,
  { orgId, ...filter }: Recomputation,
): Promise<void> {
  let after: store.Position | null = null;
  for (;;) {
    const reports: store.ComputedReport[] = await recomputeBatch(db, orgId as OrgId, filter, after);
    if (reports.length < batchSize) return;
    after = reports.at(-1)!;
  }
}

const recomputeBatch = (
  db: Platform["db"],
  orgId: OrgId,
  filter: Omit<Recomputation, "orgId">,
  after: store.Position | null,
) =>
  db.transaction(async (tx) => {
    const reports = await store.lockComputed(tx, orgId, filter, after, batchSize);
    const book = await loadPriceBook(tx, orgId);
    const changes: Parameters<typeof adjustSpend>[2][number][] = [];
    for (const report of reports) {
      const cost = computeReportCost(addRemovedKind(book, report), report);
      if (cost.costMicros === report.costMicros && cost.costSource === report.costSource) continue;
      await store.replaceCost(tx, orgId, report, cost);
      const { day, subjectIds } = report;
      changes.push({ day, subjectIds, micros: cost.costMicros - report.costMicros });
    }
    await adjustSpend(tx, orgId, changes);
    const subjectIds = [...new Set(changes.flatMap(({ subjectIds }) => subjectIds))];
    // People are notified of a budget that is spent now. Runs that are running end with their next report.
    if (subjectIds.length > 0) await checkBudgets(tx, orgId, subjectIds);
    return reports;
  });

/** After a provider was removed, the price that was used still says its kind, so that its costs do not become unknown. */
function addRemovedKind(
  book: PriceBook,
  { provider, price }: Pick<store.ComputedReport, "provider" | "price">,
): PriceBook {
  if (provider === null || price === null || !isProviderId(provider) || book.kinds.has(provider)) return book;
  return isProviderId(price.provider)
    ? book
    : { ...book, kinds: new Map([...book.kinds, [provider, price.provider]]) };
}
