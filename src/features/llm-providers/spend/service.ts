import type { OrgId } from "../../../platform/context.ts";
import { toDay } from "../../../platform/days.ts";
import type { Db } from "../../../platform/db/index.ts";
import * as store from "./store.ts";

export interface Spend {
  memberId: string | null;
  /** The id of an LLM provider. Other texts are ignored. */
  providerId: string | null;
  /** Milliseconds since 1970. The cost counts on this day in UTC. */
  at: number;
  costMicros: number;
}

/**
 * Counts costs in the transaction that accepts the reports about them. The caller makes sure that a report counts once,
 * and keeps the attribution of each cost, so that `adjustSpend` can correct it in the same sums. Runs report their own
 * costs, so a cost that belongs to a run is not recorded again. Call `checkBudgets` with the subjects afterwards.
 */
export async function recordSpend(
  tx: Db,
  orgId: OrgId,
  spends: readonly Spend[],
): Promise<store.Attribution[]> {
  const subjects = new Map<string, string[]>();
  const attributions: store.Attribution[] = [];
  for (const { memberId, providerId, at } of spends) {
    const key = `${memberId} ${providerId}`;
    const subjectIds = subjects.get(key) ?? (await store.listSubjects(tx, orgId, memberId, providerId));
    subjects.set(key, subjectIds);
    attributions.push({ day: toDay(at), subjectIds });
  }
  await adjustSpend(
    tx,
    orgId,
    attributions.map((attribution, i) => ({ ...attribution, micros: spends[i]!.costMicros })),
  );
  return attributions;
}

/** Adds a difference, which can be negative, to sums that a cost was counted in. */
export async function adjustSpend(
  tx: Db,
  orgId: OrgId,
  changes: readonly (store.Attribution & { micros: number })[],
): Promise<void> {
  const rows = changes
    .filter(({ micros }) => micros !== 0)
    .flatMap(({ day, subjectIds, micros }) => subjectIds.map((subjectId) => ({ subjectId, day, micros })));
  if (rows.length > 0) await store.add(tx, orgId, rows);
}
