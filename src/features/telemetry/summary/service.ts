import type { MemberCtx } from "../../../platform/context.ts";
import { dayMs, toDay } from "../../../platform/days.ts";
import { invalidField } from "../../../platform/errors.ts";
import { cutPage, defineCursor } from "../../../platform/http/index.ts";
import { findVisibleMember } from "../events/index.ts";
import { type Dimension, dimensions, type summaryQuery, type TelemetrySummaryItem } from "./contract.ts";
import * as store from "./store.ts";

const defaultDays = 30;
const maxDays = 800;

export async function summarize(ctx: MemberCtx, query: (typeof summaryQuery)["_output"]) {
  const { limit, groupBy } = query;
  // `to` is exclusive: midnight ends the day before.
  const last = query.to === undefined ? Date.now() + dayMs : query.to - 1;
  const first = query.from ?? last - defaultDays * dayMs;
  if (first > last) throw invalidField(["to"], "`to` must be after `from`.");
  if (last - first > maxDays * dayMs) throw invalidField(["from"], `A summary has at most ${maxDays} days.`);
  const rows = await store.summarize(ctx.db, ctx.orgId, {
    firstDay: toDay(first),
    lastDay: toDay(last),
    memberId: findVisibleMember(ctx) ?? null,
    by: mapDimensions((name) => groupBy.includes(name)),
    after: cursor.read(query, null),
    limit: limit + 1,
  });
  const page = cutPage(rows, query, (row) => cursor.write(row));
  return { items: page.items.map((row) => toItem(row, groupBy)), nextCursor: page.nextCursor };
}

const mapDimensions = <Value>(find: (name: Dimension) => Value) =>
  Object.fromEntries(dimensions.map((name) => [name, find(name)])) as Record<Dimension, Value>;

const cursor = defineCursor<store.GroupKey>({
  write: (key) => JSON.stringify(dimensions.map((name) => key[name])),
  read(text) {
    try {
      const values: unknown = JSON.parse(text);
      const isKey =
        Array.isArray(values) &&
        values.length === dimensions.length &&
        values.every((value) => typeof value === "string" && value.isWellFormed() && !value.includes("\0"));
      return isKey ? mapDimensions((name) => values[dimensions.indexOf(name)] as string) : undefined;
    } catch {
      return undefined;
    }
  },
});

function toItem(row: store.SummaryRow, groupBy: readonly Dimension[]): TelemetrySummaryItem {
  const {
    day,
    type,
    member,
    team,
    model,
    worker,
    automation,
    memberName,
    teamName,
    workerName,
    automationName,
    ...figures
  } = row;
  const groups: Record<Dimension, Partial<TelemetrySummaryItem>> = {
    day: { day },
    type: { type },
    member: { memberId: member || null, memberName },
    team: { teamId: team || null, teamName },
    model: { model: model || null },
    worker: { workerId: worker || null, workerName },
    automation: { automationId: automation || null, automationName },
  };
  return {
    ...Object.assign({}, ...dimensions.filter((name) => groupBy.includes(name)).map((name) => groups[name])),
    ...figures,
    costMicros: figures.pricedEvents === 0 ? null : figures.costMicros,
  };
}
