import type { OrganizationCtx, OrgId } from "../../../platform/context.ts";
import { dayMs } from "../../../platform/days.ts";
import { newIdAt } from "../../../platform/ids.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import { findStartOfDay } from "../days.ts";
import { knownNames, type LimitName } from "../names/index.ts";
import type { TelemetryRecord } from "../record.ts";
import type { StoredSettings } from "../settings/index.ts";
import { createKey, eventBatcher, type Stored, storeEvents } from "./batcher.ts";
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

/** Admits the names of events for `storeRecords`. Call it outside of a transaction. */
export const admitNames = (ctx: OrganizationCtx, records: readonly TelemetryRecord[]): Promise<LimitName> =>
  ctx.state.get(knownNames).admit(ctx.orgId, records);

/** Limits the names of events that follow from others, whose names are admitted. Call it inside of their transaction. */
export const recallNames = (ctx: OrganizationCtx, records: readonly TelemetryRecord[]): Promise<LimitName> =>
  ctx.state.get(knownNames).recall(ctx.db, ctx.orgId, records);

/**
 * Stores events. They are committed when this returns. Inside a transaction they commit with it, and their names must
 * have been admitted before.
 */
export async function storeRecords(
  ctx: OrganizationCtx,
  placed: readonly Placed[],
  admitted?: LimitName,
): Promise<Stored> {
  if (placed.length === 0) return { accepted: 0, duplicates: 0, conflicts: [] };
  const { db, orgId } = ctx;
  const records = placed.map(({ record }) => record);
  const limitName = admitted ?? (await admitNames(ctx, records));
  const findCost = await createCostFinder(db, orgId, records);
  const rows = placed.map(({ record, place }) => toRow(orgId, record, place, findCost(record), limitName));
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  const meter = ctx.state.get(quotaMeter);
  await meter.check(db, orgId, "telemetry_storage", bytes);
  const stored = db.inTransaction
    ? (await storeEvents(db, [rows]))[0]!
    : await ctx.state.get(eventBatcher)(rows);
  const share = stored.accepted / rows.length;
  if (share > 0) db.afterCommit(() => meter.add(orgId, "telemetry_storage", Math.round(bytes * share)));
  return stored;
}

/** Every field is named, because copying objects with rest and spread takes several times as long. */
function toRow(
  orgId: OrgId,
  record: TelemetryRecord,
  place: Place,
  cost: Cost,
  limitName: LimitName,
): EventRow & { bytes: number } {
  const { signal, eventId, at, model, toolName } = record;
  const attributes = record.attributes && JSON.stringify(record.attributes);
  return {
    orgId,
    id: newIdAt("tev", at),
    signal,
    eventId,
    digest: record.digest,
    at,
    type: limitName("type", at, record.type),
    source: record.source,
    memberId: place.memberId,
    workerId: place.workerId,
    runId: place.runId,
    automationId: place.automationId,
    provider: record.provider,
    model: model === null ? null : limitName("model", at, model),
    inputTokens: record.inputTokens,
    outputTokens: record.outputTokens,
    cacheReadTokens: record.cacheReadTokens,
    cacheWriteTokens: record.cacheWriteTokens,
    costMicros: cost.costMicros,
    pricing: cost.pricing,
    countsUsage: record.countsUsage,
    durationMs: record.durationMs,
    failed: record.failed,
    value: record.value,
    toolName: toolName === null ? null : limitName("tool", at, toolName),
    agentName: record.agentName,
    conversationId: record.conversationId,
    attributes,
    key: createKey({ eventId, signal, orgId }),
    bytes: overhead.telemetryEvent + (attributes?.length ?? 0),
  };
}
