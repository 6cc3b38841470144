import type { MachineCtx, MemberCtx, OrgId } from "../../../platform/context.ts";
import { dayMs } from "../../../platform/days.ts";
import type { Db } from "../../../platform/db/index.ts";
import { notFound } from "../../../platform/errors.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId, smallestIdAt } from "../../../platform/ids.ts";
import { toDesired } from "../desired/index.ts";
import { serviceClock } from "../service-times/index.ts";
import { requireSelf } from "../tokens/index.ts";
import { beatBatcher } from "./beats.ts";
import type { Activity, Heartbeat } from "./contract.ts";
import * as store from "./store.ts";

export async function beat(ctx: MachineCtx, id: string, { sequence, status, runIds }: Heartbeat) {
  const workerId = requireSelf(ctx, id);
  const stored = await ctx.state.get(beatBatcher)({
    ...{ orgId: ctx.orgId, workerId, sequence, status },
    runIds: runIds.join(","),
  });
  if (!stored) throw notFound("worker");
  return {
    receivedAt: stored.receivedAt,
    sequence: stored.sequence,
    nextHeartbeatSeconds: ctx.state.get(serviceClock).nextSeconds(),
    desired: toDesired(stored),
  };
}

export async function list({ db, orgId }: MemberCtx, id: string, query: PageQuery) {
  if (!isId("wrk", id) || !(await store.exists(db, orgId, id))) throw notFound("worker");
  return cutPageById(await store.list(db, orgId, id, readIdCursor(query, "wac"), query.limit + 1), query);
}

/** Adds an entry to the timeline of a worker, in the transaction of the change. */
export const recordActivity = (
  tx: Db,
  orgId: OrgId,
  workerId: string,
  type: Activity["type"],
  detail: Record<string, unknown> = {},
) => store.insert(tx, orgId, workerId, { id: newId("wac"), type, detail });

/** Entries of one type that a worker can cause in a day. */
const maxPerDay = 20;

/**
 * Like `recordActivity`, for what a worker can cause as often as it likes. Beyond the limit of a day, the last entry is
 * changed: its `repeats` says how often.
 */
export async function recordLimitedActivity(
  tx: Db,
  orgId: OrgId,
  workerId: string,
  type: Activity["type"],
  detail: Record<string, unknown>,
): Promise<void> {
  const since = smallestIdAt("wac", Date.now() - dayMs);
  const recent = await store.listSince(tx, orgId, workerId, { type, since, limit: maxPerDay });
  if (recent.length < maxPerDay) await recordActivity(tx, orgId, workerId, type, detail);
  else await store.repeat(tx, orgId, recent[0]!.id, detail);
}

const changesPerStatement = 1_000;

/** Records the states that have changed since the last call, and returns the changes. */
export async function recordStates(tx: Db): Promise<store.StateChange[]> {
  const changes = await store.recordStatesAcrossOrganizations(tx);
  const entries = changes.map((change) => ({ ...change, id: newId("wac") }));
  for (let i = 0; i < entries.length; i += changesPerStatement)
    await store.insertStateChangesAcrossOrganizations(tx, entries.slice(i, i + changesPerStatement));
  return changes;
}
