import type { MemberCtx, OrganizationCtx } from "../../../platform/context.ts";
import { forbidden, invalidRequest } from "../../../platform/errors.ts";
import { readPage } from "../../../platform/http/index.ts";
import { createPace, threadTurns } from "../../../platform/thread-turns.ts";
import { placeRecords, storeRecords } from "../ingest/index.ts";
import { settingsCache } from "../settings/index.ts";
import type { listQuery, TelemetryEventInput } from "./contract.ts";
import { toRecords } from "./records.ts";
import * as store from "./store.ts";

/** Stores events, all or none. They are committed when this returns. */
export async function reportEvents(ctx: OrganizationCtx, events: readonly TelemetryEventInput[]) {
  const settings = await ctx.state.get(settingsCache).find(ctx.orgId);
  if (!settings.enabled) return { accepted: 0, duplicates: 0 };
  const pace = createPace(ctx.state.get(threadTurns), ctx.orgId);
  const records = await toRecords(events, settings.keepsContents, pace);
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
