import type { Platform } from "../../../platform/context.ts";
import {
  adjustSpend,
  advanceRecomputation,
  isProviderId,
  loadPriceBook,
  lockNextRecomputationAcrossOrganizations,
  type PriceBook,
  removeRecomputation,
} from "../../llm-providers/index.ts";
import { adjustCosts } from "../figures/index.ts";
import { checkChangedCosts } from "./check.ts";
import { computeReportCost } from "./service.ts";
import * as store from "./store.ts";

const batchSize = 200;

/** Recomputes costs until nothing is left or the time is over. The rest waits for the next job. */
export async function recomputeCosts(platform: Pick<Platform, "db" | "jobs">, until: number): Promise<void> {
  while (Date.now() < until && (await recomputeBatch(platform)));
}

/**
 * Recomputes the next reports of the organization that has waited longest. The position that it reached is saved in the
 * same transaction. Returns false when there is nothing to do. Reports whose cost does not change are not written.
 */
const recomputeBatch = (platform: Pick<Platform, "db" | "jobs">): Promise<boolean> =>
  platform.db.transaction(async (tx) => {
    const next = await lockNextRecomputationAcrossOrganizations(tx);
    if (!next) return false;
    const { orgId, position, ...scope } = next;
    const after = position as unknown as store.Position | null;
    const reports = await store.lockComputed(tx, orgId, scope, after, batchSize);
    const book = await loadPriceBook(tx, orgId);
    const changes: (store.ComputedReport & { micros: number })[] = [];
    for (const report of reports) {
      const cost = computeReportCost(addRemovedKind(book, report), report);
      if (cost.costMicros === report.costMicros && cost.costSource === report.costSource) continue;
      await store.replaceCost(tx, orgId, report, cost);
      changes.push({ ...report, micros: cost.costMicros - report.costMicros });
    }
    if (reports.length < batchSize) await removeRecomputation(tx, orgId);
    else await advanceRecomputation(tx, orgId, toPosition(reports.at(-1)!));
    await adjustCosts(tx, orgId, changes);
    await adjustSpend(tx, orgId, changes);
    const subjectIds = [...new Set(changes.flatMap(({ subjectIds }) => subjectIds))];
    if (subjectIds.length > 0) await checkChangedCosts(platform, tx, orgId, subjectIds);
    return true;
  });

const toPosition = ({ reportedAt, runId, attempt, report }: store.Position): store.Position => ({
  reportedAt,
  runId,
  attempt,
  report,
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
