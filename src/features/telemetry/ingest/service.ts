import type { OrganizationCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { newIdAt } from "../../../platform/ids.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import { dayMs, findStartOfDay } from "../days.ts";
import { knownNames, limitNames } from "../names/index.ts";
import type { TelemetryRecord } from "../record.ts";
import type { StoredSettings } from "../settings/index.ts";
import { eventBatcher, type Stored, storeEvents } from "./batcher.ts";
import { createPlaceFinder, isWrong, type Place, type WrongClaim } from "./claims.ts";
import { type Cost, createCostFinder } from "./pricing.ts";
import type { EventRow } from "./store.ts";

/** An event that cannot be stored, and why. */
export interface Problem {
  record: TelemetryRecord;
  field: WrongClaim["field"] | "at";
  message: string;
}

export interface Placed {
  record: TelemetryRecord;
  place: Place;
}

/** Clocks of senders may be ahead by so much. */
const maxAheadMs = dayMs;

/** Finds out where each event belongs. Events with a wrong claim or time are returned as problems. */
export async function placeRecords(
  ctx: OrganizationCtx,
  records: readonly TelemetryRecord[],
  settings: StoredSettings,
): Promise<{ placed: Placed[]; problems: Problem[] }> {
  const findPlace = await createPlaceFinder(
    ctx,
    records.map(({ claims }) => claims),
  );
  const now = Date.now();
  const earliest = findEarliest(settings, now);
  const placed: Placed[] = [];
  const problems: Problem[] = [];
  for (const record of records) {
    const place = findPlace(record.claims);
    const message = describeWrongTime(record.at, earliest, now);
    if (message !== undefined) problems.push({ record, field: "at", message });
    else if (isWrong(place)) problems.push({ record, ...place });
    else placed.push({ record, place });
  }
  return { placed, problems };
}

/**
 * Events of days that were deleted, or soon will be, are not accepted: their ids are not known any more, so a repeated
 * event would count twice. A day is still accepted on the day before it is deleted.
 */
const findEarliest = ({ retentionDays, prunedBefore }: StoredSettings, now: number): number =>
  Math.max(findStartOfDay(now) - (retentionDays - 1) * dayMs, prunedBefore ?? 0);

function describeWrongTime(at: number, earliest: number, now: number): string | undefined {
  if (at < earliest) return "The time is before the retention of telemetry.";
  return at > now + maxAheadMs ? "The time is more than a day in the future." : undefined;
}

/** Stores events. They are committed when this returns. Inside a transaction they commit with it. */
export async function storeRecords(ctx: OrganizationCtx, db: Db, placed: readonly Placed[]): Promise<Stored> {
  if (placed.length === 0) return { accepted: 0, duplicates: 0, conflicts: [] };
  const records = placed.map(({ record }) => record);
  const findCost = await createCostFinder(db, ctx.orgId, records);
  const limited = await limitNames(ctx.state.get(knownNames), db, ctx.orgId, records);
  const rows = limited.map((record, i) => toRow(ctx.orgId, record, placed[i]!.place, findCost(records[i]!)));
  const bytes = rows.reduce((sum, row) => sum + overhead.telemetryEvent + (row.attributes?.length ?? 0), 0);
  const meter = ctx.state.get(quotaMeter);
  await meter.check(db, ctx.orgId, "telemetry_storage", bytes);
  const stored = db.inTransaction
    ? (await storeEvents(db, [rows]))[0]!
    : await ctx.state.get(eventBatcher)(rows);
  const share = stored.accepted / rows.length;
  if (share > 0) db.afterCommit(() => meter.add(ctx.orgId, "telemetry_storage", Math.round(bytes * share)));
  return stored;
}

const toRow = (
  orgId: OrgId,
  { claims: _, mayBePriced: __, attributes, ...record }: TelemetryRecord,
  place: Place,
  cost: Cost,
): EventRow => ({
  ...record,
  ...place,
  ...cost,
  orgId,
  id: newIdAt("tev", record.at),
  attributes: attributes && JSON.stringify(attributes),
});
