import type { MemberCtx } from "../../../platform/context.ts";
import { findAccessItems, findQuotaItems } from "./access/service.ts";
import { findAutomationItems, findCostItems } from "./automations/service.ts";
import { findCodeHostItems } from "./code-host/service.ts";
import { findConnectionItems, findOutsideItems } from "./connections/service.ts";
import { type Item, kinds, maxPerKind } from "./contract.ts";
import { findFleetItems } from "./fleet/service.ts";
import { findMcpConnectionItems } from "./mcp-connections/service.ts";

/** Each looks only for what the caller may read. */
const finders = [
  findAutomationItems,
  findCostItems,
  findConnectionItems,
  findOutsideItems,
  findMcpConnectionItems,
  findCodeHostItems,
  findFleetItems,
  findAccessItems,
  findQuotaItems,
];

/** What needs care: errors before warnings, then by kind, then the newest. */
export async function listAttention(ctx: MemberCtx) {
  const found = (await Promise.all(finders.map((find) => find(ctx)))).flat().toSorted(compareItems);
  const counts = new Map<Item["kind"], number>();
  const items = found.filter(({ kind }) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= maxPerKind;
  });
  const errors = items.filter(({ severity }) => severity === "error").length;
  return { items, errors, warnings: items.length - errors, isTruncated: items.length < found.length };
}

function compareItems(one: Item, other: Item): number {
  if (one.severity !== other.severity) return one.severity === "error" ? -1 : 1;
  const rank = kinds.indexOf(one.kind) - kinds.indexOf(other.kind);
  return rank || (one.dueAt ?? 0) - (other.dueAt ?? 0) || (other.since ?? 0) - (one.since ?? 0);
}
