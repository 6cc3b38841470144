import type { MemberCtx, OrgId, Platform } from "../../../platform/context.ts";
import { type Db, violatedConstraint } from "../../../platform/db/index.ts";
import { conflict, invalidField, notFound } from "../../../platform/errors.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { listGrantees } from "../../teams/index.ts";
import { computeState, findExceededBudget, isMonthlyOfOrganization } from "./check.ts";
import type { BudgetChange, LlmBudget, NewBudget } from "./contract.ts";
import * as store from "./store.ts";

/** The subjects whose budgets the caller may see. Null: all. */
const findReach = async ({ db, orgId, member }: MemberCtx): Promise<string[] | null> =>
  member.permissions.has("usage:read") || member.permissions.has("llm_providers:manage")
    ? null
    : [orgId, ...(await listGrantees(db, orgId, member.id))];

export async function list(ctx: MemberCtx, query: PageQuery) {
  const reach = await findReach(ctx);
  const rows = await store.list(ctx.db, ctx.orgId, reach, readIdCursor(query, "lbg"), query.limit + 1);
  const { items, nextCursor } = cutPageById(rows, query);
  return { items: items.map(toBudget), nextCursor };
}

/** The budgets that the caller may see and whose warning or limit is reached, the worst first. */
export async function listCrossedBudgets(ctx: MemberCtx, limit: number): Promise<LlmBudget[]> {
  const rows = await store.listCrossed(ctx.db, ctx.orgId, await findReach(ctx), limit);
  return rows.map(toBudget);
}

export async function read(ctx: MemberCtx, id: string) {
  const budget = isId("lbg", id) ? await store.find(ctx.db, ctx.orgId, await findReach(ctx), id) : undefined;
  if (!budget) throw notFound("llm_budget");
  return { budget: toBudget(budget) };
}

const toBudget = ({
  subjectKind,
  subjectId,
  subjectName,
  periodStart: _,
  ...row
}: store.BudgetRow): LlmBudget => ({
  ...row,
  subject: { kind: subjectKind, id: subjectId, name: subjectName },
  state: computeState(row),
});

export async function create(ctx: MemberCtx, { subject, ...given }: NewBudget) {
  const { orgId, member } = ctx;
  const subjectId = resolveSubjectId(orgId, subject);
  const id = newId("lbg");
  try {
    return await ctx.db.transaction(async (tx) => {
      await takeQuota(ctx, tx, orgId, "llm_budgets");
      const budget = { ...given, id, subjectKind: subject.kind, subjectId, createdBy: member.id };
      if ((await store.insert(tx, orgId, budget)) === 0)
        throw invalidField(["subject", "id"], `There is no such ${subject.kind} here.`);
      const row = (await store.find(tx, orgId, null, id))!;
      await recordChange(ctx, tx, "created", row.id, undefined, row);
      await stopRunsIfSpent(ctx, tx, orgId);
      return { budget: toBudget(row) };
    });
  } catch (error) {
    if (violatedConstraint(error) !== "llm_budgets_subject") throw error;
    throw conflict(
      "llm_budget_exists",
      "There is a budget or alert for this subject and period. Change that one.",
    );
  }
}

function resolveSubjectId(orgId: OrgId, { kind, id }: NewBudget["subject"]): string {
  if (kind === "organization") {
    if (id !== undefined && id !== orgId)
      throw invalidField(["subject", "id"], "Omit the id: a budget is for your organization.");
    return orgId;
  }
  if (id === undefined) throw invalidField(["subject", "id"], `Give the id of the ${kind}.`);
  return id;
}

export const change = (ctx: MemberCtx, id: string, input: BudgetChange) =>
  ctx.db.transaction(async (tx) => {
    const before = await lockBudget(tx, ctx, id);
    const {
      mode = before.mode,
      limitMicros = before.limitMicros,
      warningPercent = before.warningPercent,
    } = input;
    await store.update(tx, ctx.orgId, before.id, { mode, limitMicros, warningPercent });
    const row = (await store.find(tx, ctx.orgId, null, before.id))!;
    await recordChange(ctx, tx, "changed", row.id, before, row);
    await stopRunsIfSpent(ctx, tx, ctx.orgId);
    return { budget: toBudget(row) };
  });

export const remove = (ctx: MemberCtx, id: string): Promise<void> =>
  ctx.db.transaction(async (tx) => {
    const before = await lockBudget(tx, ctx, id);
    await store.remove(tx, ctx.orgId, before.id);
    await recordChange(ctx, tx, "removed", before.id, before);
  });

async function lockBudget(tx: Db, { orgId }: MemberCtx, id: string) {
  const budget = isId("lbg", id) ? await store.lock(tx, orgId, id) : undefined;
  if (!budget) throw notFound("llm_budget");
  return budget;
}

const toAuditState = ({
  subjectKind,
  subjectId,
  period,
  mode,
  limitMicros,
  warningPercent,
}: store.BudgetRow) => ({
  subjectKind,
  subjectId,
  period,
  mode,
  limitMicros,
  warningPercent,
});

const recordChange = (
  ctx: MemberCtx,
  tx: Db,
  what: string,
  id: string,
  before?: store.BudgetRow,
  after?: store.BudgetRow,
) =>
  record(ctx, tx, {
    action: `llm_budget.${what}`,
    target: { type: "llm_budget", id },
    before: before && toAuditState(before),
    after: after && toAuditState(after),
  });

/** The monthly budget of the organization, which the settings of automations show too. Undefined: there is none. */
export async function findMonthlyBudget(db: Db, orgId: OrgId) {
  const found = await store.findOrganizationBudget(db, orgId);
  return found?.mode === "budget" ? found : undefined;
}

/** Waits for changes of the monthly budget that are not committed, so that a change of a part of it keeps them. */
export const lockMonthlyBudget = (tx: Db, orgId: OrgId) => store.lockOrganizationBudget(tx, orgId);

/** The room of automations has this job, and imports this one, so the job is named and not imported. */
const stopOrganization = { name: "automations.stop-organization" };

/** A new limit can be spent already. Without a report of a cost, running runs would go on. */
async function stopRunsIfSpent({ jobs }: Pick<Platform, "jobs">, tx: Db, orgId: OrgId): Promise<void> {
  const exceeded = await findExceededBudget(tx, orgId, [orgId]);
  if (exceeded && isMonthlyOfOrganization(exceeded)) await jobs.add(tx, stopOrganization, { orgId });
}

/** Sets or removes the monthly budget of the organization. The caller records the change. */
export async function setMonthlyBudget(
  platform: Pick<Platform, "jobs">,
  tx: Db,
  orgId: OrgId,
  createdBy: string,
  limitMicros: number | null,
  warningPercent: number,
): Promise<void> {
  if (limitMicros === null) return void (await store.removeOrganizationBudget(tx, orgId));
  await store.saveOrganizationBudget(tx, orgId, { id: newId("lbg"), limitMicros, warningPercent, createdBy });
  await stopRunsIfSpent(platform, tx, orgId);
}
