import type { MemberCtx, OrganizationCtx } from "../../../platform/context.ts";
import { forbidden, invalidRequest } from "../../../platform/errors.ts";
import { readPage } from "../../../platform/http/index.ts";
import { computeDigest } from "../digest.ts";
import { placeRecords, storeRecords } from "../ingest/index.ts";
import { mapFields } from "../mapping/index.ts";
import type { TelemetryRecord } from "../record.ts";
import { settingsCache } from "../settings/index.ts";
import type { listQuery, TelemetryEventInput } from "./contract.ts";
import * as store from "./store.ts";

/** Stores events, all or none. They are committed when this returns. */
export async function reportEvents(ctx: OrganizationCtx, events: readonly TelemetryEventInput[]) {
  const settings = await ctx.state.get(settingsCache).find(ctx.orgId);
  if (!settings.enabled) return { accepted: 0, duplicates: 0 };
  const records = events.map((event) => toRecord(event, settings.keepsContents));
  const { placed, problems } = await placeRecords(ctx, records, settings);
  const [first] = problems;
  if (first?.field === "memberId" && !ctx.permissions.has("telemetry:manage"))
    throw forbidden("missing_permission", first.message);
  if (first)
    throw invalidRequest(
      problems
        .slice(0, maxDetails)
        .map(({ record, field, message }) => ({ message, path: ["events", records.indexOf(record), field] })),
    );
  const { accepted, duplicates, conflicts } = await storeRecords(ctx, placed);
  return {
    accepted,
    duplicates,
    ...(conflicts.length > 0 ? { conflicts: conflicts.map(({ eventId }) => eventId) } : {}),
  };
}

const maxDetails = 50;

function toRecord(event: TelemetryEventInput, keepsContents: boolean): TelemetryRecord {
  const { id, type, at, memberId, workerId, runId, model, attributes = {} } = event;
  const given = model === undefined ? attributes : { ...attributes, "gen_ai.response.model": model };
  const mapped = mapFields({ signal: "event", name: type, attributes: given }, keepsContents);
  const { claims } = mapped;
  delete claims.email;
  if (memberId !== undefined) claims.memberId = memberId;
  if (workerId !== undefined) claims.workerId = workerId;
  if (runId !== undefined) claims.runId = runId;
  const digest = computeDigest([
    ...[type, at, model ?? null, memberId ?? null, workerId ?? null, runId ?? null],
    attributes,
  ]);
  return { ...mapped, signal: "event", eventId: id, digest, at, value: null };
}

/** The only member whose events the caller may see. Undefined when it may see all. */
export const findVisibleMember = ({ permissions, member }: MemberCtx): string | undefined =>
  permissions.has("telemetry:read") ? undefined : member.id;

export async function listEvents(ctx: MemberCtx, query: (typeof listQuery)["_output"]) {
  const { limit, cursor, ...filter } = query;
  const visible = findVisibleMember(ctx);
  // Events of others are not there for somebody who may not see them.
  if (visible !== undefined && filter.memberId !== undefined && filter.memberId !== visible)
    return { items: [], nextCursor: null };
  const memberId = visible ?? filter.memberId;
  return readPage(store.list(ctx.db, ctx.orgId, { ...filter, memberId }), { limit, cursor }, "tev");
}
