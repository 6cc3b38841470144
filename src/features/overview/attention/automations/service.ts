import type { MemberCtx } from "../../../../platform/context.ts";
import { listCrossedBudgets } from "../../../llm-providers/index.ts";
import type { Item } from "../contract.ts";
import { createItem, rowLimit } from "../item.ts";
import * as store from "./store.ts";

/** A person must do something about these. The next run of the others is expected to start. */
const skipReasonsWithCare = [
  "no_runner",
  "resource_missing",
  "run_budget_exceeded",
  "monthly_budget_exceeded",
  "budget_exceeded",
];

const toItem =
  (kind: "automation_failed" | "automation_skipped") =>
  ({ id, name, runId, reason, ...row }: Awaited<ReturnType<typeof store.listUnsuccessful>>[number]): Item =>
    createItem(
      kind === "automation_failed" ? "error" : "warning",
      kind,
      { type: "automation", id, name },
      { ...row, code: reason, related: { type: "run", id: runId } },
    );

export async function findAutomationItems({ db, orgId, member }: MemberCtx): Promise<Item[]> {
  if (!member.permissions.has("automations:create")) return [];
  const reach = member.permissions.has("automations:manage") ? null : member.id;
  const [failed, skipped] = await Promise.all([
    store.listUnsuccessful(db, orgId, reach, "failed", null, rowLimit),
    store.listUnsuccessful(db, orgId, reach, "skipped", skipReasonsWithCare, rowLimit),
  ]);
  return [...failed.map(toItem("automation_failed")), ...skipped.map(toItem("automation_skipped"))];
}

export async function findCostItems(ctx: MemberCtx): Promise<Item[]> {
  const { permissions } = ctx.member;
  const items: Item[] = [];
  if (permissions.has("llm_providers:use") || permissions.has("usage:read")) {
    const budgets = await listCrossedBudgets(ctx, rowLimit);
    items.push(
      ...budgets.map(({ id, subject, state, mode, period, spentMicros, limitMicros, resetsAt }) =>
        createItem(
          state === "exceeded" && mode === "budget" ? "error" : "warning",
          state === "exceeded" ? "budget_exceeded" : "budget_warned",
          { type: "budget", id, name: subject.name, parentId: subject.id },
          { code: `${mode}_${period}`, used: spentMicros, limit: limitMicros, dueAt: resetsAt },
        ),
      ),
    );
  }
  if (permissions.has("usage:read")) {
    const held = await store.findHeld(ctx.db, ctx.orgId);
    if (held.count > 0)
      items.push(
        createItem("warning", "usage_held", { type: "organization", id: ctx.orgId, name: null }, held),
      );
  }
  return items;
}
