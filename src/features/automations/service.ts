import type { MemberCtx, OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, forbidden, invalidField, notFound } from "../../platform/errors.ts";
import { defineNumberCursor, type PageQuery, readPage } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import { findKeepLimit, overhead, quotaMeter, takeQuota } from "../quotas/index.ts";
import type { Automation, listQuery, Revision } from "./contract.ts";
import { checkResources } from "./resources/index.ts";
import { cancelQueuedRuns, createRun, isOver, readRun } from "./runs/index.ts";
import { findNextOccurrence } from "./schedules/index.ts";
import * as store from "./store.ts";

const resolveReach = ({ member }: MemberCtx): store.Reach =>
  member.permissions.has("automations:manage") ? null : member.id;

const noAutomation = () => notFound("automation");
function parseAutomationId(id: string): store.AutomationId {
  if (!isId("aut", id)) throw noAutomation();
  return id;
}

const archived = () =>
  conflict(
    "automation_archived",
    "This automation is archived. Create a new one with the same instructions.",
  );
/** An automation acts for its owner, so it needs one with access. */
async function requireActiveOwner(tx: Db, orgId: OrgId, memberId: string | null): Promise<string> {
  if (memberId === null)
    throw conflict("owner_left", "The owner has left. Give it a new owner first: PATCH it with memberId.");
  if (await store.isDeactivated(tx, orgId, memberId)) {
    throw conflict(
      "owner_deactivated",
      "The owner is deactivated. Reactivate them, or give it a new owner: PATCH it with memberId.",
    );
  }
  return memberId;
}

export async function list(ctx: MemberCtx, query: (typeof listQuery)["_output"]) {
  const filter = { status: query.status ?? null, memberId: query.memberId ?? null };
  return readPage(store.list(ctx.db, ctx.orgId, resolveReach(ctx), filter), query, "aut");
}

export async function read(ctx: MemberCtx, id: string): Promise<{ automation: Automation }> {
  const automation = await store.find(ctx.db, ctx.orgId, resolveReach(ctx), parseAutomationId(id));
  if (!automation) throw noAutomation();
  return { automation };
}

type PartialOrUndefined<T> = { [Name in keyof T]?: T[Name] | undefined };
type NewAutomation = Pick<store.RevisionContent, "name" | "instructions" | "schedule"> &
  PartialOrUndefined<
    Pick<store.RevisionContent, "model" | "maxRuntimeSeconds" | "templateIds" | "connectionIds">
  > & {
    active: boolean;
  };

export async function create(ctx: MemberCtx, { active, ...content }: NewAutomation) {
  const { orgId, member } = ctx;
  const id = newId("aut");
  refuseEndedSchedule(content.schedule);
  return ctx.db.transaction(async (tx) => {
    const nextRunAt = active ? (findNextOccurrence(content.schedule, Date.now()) ?? null) : null;
    const status = active ? "active" : "inactive";
    const { templateIds = [], connectionIds = [], model = null } = content;
    await checkResources(ctx, tx, { memberId: member.id, templateIds, connectionIds, model });
    await takeQuota(ctx, tx, orgId, "automations");
    await store.insert(tx, orgId, { id, memberId: member.id, status, nextRunAt });
    await addRevision(ctx, tx, id, {
      ...content,
      model: content.model ?? null,
      maxRuntimeSeconds: content.maxRuntimeSeconds ?? 3600,
      templateIds,
      connectionIds,
    });
    const made = await read({ ...ctx, db: tx }, id);
    await recordChange(ctx, tx, "created", id, undefined, made.automation);
    return made;
  });
}

/** Adds the next revision. Deletes revisions beyond the quota, except those that a run uses. */
async function addRevision(
  ctx: MemberCtx,
  tx: Db,
  id: store.AutomationId,
  next: store.RevisionContent,
): Promise<void> {
  const { orgId, member } = ctx;
  const meter = ctx.state.get(quotaMeter);
  const bytes = Buffer.byteLength(next.instructions) + overhead.revision;
  await meter.check(tx, orgId, "automation_storage", bytes);
  await store.addRevision(tx, orgId, id, member.id, next);
  await store.removeOldRevisions(tx, orgId, id, await findKeepLimit(ctx, tx, orgId, "automation_revisions"));
  tx.afterCommit(() => meter.add(orgId, "automation_storage", bytes));
}

function refuseEndedSchedule(schedule: Automation["schedule"]) {
  if (schedule.kind === "once" && schedule.at <= Date.now())
    throw invalidField(["schedule", "at"], "This is in the past.");
}

type Change = PartialOrUndefined<store.RevisionContent> & {
  expectedRevision?: number | undefined;
  memberId?: string | undefined;
};

export async function change(ctx: MemberCtx, id: string, { expectedRevision, memberId, ...content }: Change) {
  return changeStatus(ctx, id, "changed", async (tx, automation) => {
    if (automation.status === "archived") throw archived();
    if (expectedRevision !== undefined && expectedRevision !== automation.revision) {
      throw conflict(
        "revision_conflict",
        `It is at revision ${automation.revision} by now. Read it again, then change that.`,
        { revision: automation.revision },
      );
    }
    const automationId = automation.id as store.AutomationId;
    if (memberId !== undefined) await changeOwner(ctx, tx, automationId, memberId);
    const changedFields = Object.fromEntries(
      Object.entries(content).filter(([, value]) => value !== undefined),
    );
    const next = { ...automation, ...changedFields, memberId: memberId ?? automation.memberId } as Automation;
    await checkResources(ctx, tx, next, automation);
    if (Object.keys(changedFields).length === 0) return;
    if (content.schedule) refuseEndedSchedule(next.schedule);
    await addRevision(ctx, tx, automationId, next);
    // A change of an inactive automation does not activate it.
    if (content.schedule && automation.status === "active") {
      const due = findNextOccurrence(next.schedule, Date.now()) ?? null;
      await store.setNextRun(tx, ctx.orgId, automationId, due);
    }
  });
}

async function changeOwner(ctx: MemberCtx, tx: Db, id: store.AutomationId, memberId: string): Promise<void> {
  if (!ctx.member.permissions.has("automations:manage")) {
    throw forbidden(
      "missing_permission",
      "This needs the permission automations:manage. Ask an owner or admin.",
    );
  }
  if ((await store.setOwner(tx, ctx.orgId, id, memberId)) === 0)
    throw invalidField(["memberId"], "There is no such member here.");
}

export const activate = (ctx: MemberCtx, id: string) =>
  changeStatus(ctx, id, "activated", async (tx, { id, status, schedule, memberId }) => {
    if (status === "archived") throw archived();
    await requireActiveOwner(tx, ctx.orgId, memberId);
    if (status === "active") return;
    const due = findNextOccurrence(schedule, Date.now()) ?? null;
    await store.setStatus(tx, ctx.orgId, id as store.AutomationId, "active", due);
  });

export const deactivate = (ctx: MemberCtx, id: string) =>
  changeStatus(ctx, id, "deactivated", async (tx, { id, status }) => {
    if (status === "archived") throw archived();
    await store.setStatus(tx, ctx.orgId, id as store.AutomationId, "inactive", null);
  });

export const archive = (ctx: MemberCtx, id: string) =>
  changeStatus(ctx, id, "archived", async (tx, automation) => {
    await store.setStatus(tx, ctx.orgId, automation.id as store.AutomationId, "archived", null);
    await cancelQueuedRuns(ctx, tx, ctx.orgId, automation.id);
  });

async function changeStatus(
  ctx: MemberCtx,
  id: string,
  what: string,
  work: (tx: Db, automation: Automation) => Promise<void>,
) {
  return ctx.db.transaction(async (tx) => {
    const automation = await store.lock(tx, ctx.orgId, resolveReach(ctx), parseAutomationId(id));
    if (!automation) throw noAutomation();
    await work(tx, automation);
    // The reply shows the automation even when the caller may not read it any more after a change of owner.
    const after = (await store.find(tx, ctx.orgId, null, automation.id as store.AutomationId))!;
    await recordChange(ctx, tx, what, automation.id, automation, after);
    return { automation: after };
  });
}

async function recordChange(
  ctx: MemberCtx,
  tx: Db,
  what: string,
  id: string,
  before: Automation | undefined,
  after: Automation,
) {
  const state = ({ updatedAt: _, nextRunAt: __, lastRun: ___, ...rest }: Automation) => rest;
  await record(ctx, tx, {
    action: `automation.${what}`,
    target: { type: "automation", id },
    before: before && state(before),
    after: state(after),
  });
}

export const run = (ctx: MemberCtx, id: string) =>
  ctx.db.transaction(async (tx) => {
    const automation = await lockRunnable(ctx, tx, id);
    const { revision } = automation;
    const run = await queueRun(ctx, tx, automation, { revision });
    await record(ctx, tx, {
      action: "automation_run.requested",
      target: { type: "automation_run", id: run.id },
      after: { automationId: automation.id },
    });
    return { run };
  });

/** Repeats a run that has ended, with the revision that it used. */
export const retry = (ctx: MemberCtx, runId: string) =>
  ctx.db.transaction(async (tx) => {
    const earlier = await readRun({ ...ctx, db: tx }, runId);
    if (!isOver(earlier)) {
      throw conflict(
        "run_not_ended",
        `The run is still ${earlier.status}. Wait for its end, or cancel it first.`,
      );
    }
    const automation = await lockRunnable(ctx, tx, earlier.automationId);
    const revision = earlier.automationRevision;
    const run = await queueRun(ctx, tx, automation, { revision, retryOf: earlier.id });
    await record(ctx, tx, {
      action: "automation_run.retried",
      target: { type: "automation_run", id: run.id },
      after: { automationId: automation.id, retryOf: earlier.id },
    });
    return { run };
  });

/** Locks the automation, and refuses one that the caller cannot run now. */
async function lockRunnable(ctx: MemberCtx, tx: Db, id: string) {
  const automation = await store.lock(tx, ctx.orgId, resolveReach(ctx), parseAutomationId(id));
  if (!automation) throw noAutomation();
  if (automation.status === "archived") throw archived();
  return { ...automation, memberId: await requireActiveOwner(tx, ctx.orgId, automation.memberId) };
}

async function queueRun(
  ctx: MemberCtx,
  tx: Db,
  automation: { id: string; memberId: string },
  what: { revision: number; retryOf?: string },
) {
  const run = await createRun(ctx, tx, ctx.orgId, {
    ...what,
    automationId: automation.id,
    memberId: automation.memberId,
    trigger: "manual",
    occurrenceAt: null,
  });
  if (run?.reason === "budget_exceeded") {
    throw conflict("budget_exceeded", `${run.reasonDetail} Ask an admin to raise it, or wait.`);
  }
  if (run?.reason === "monthly_budget_exceeded") {
    throw conflict(
      "monthly_budget_exceeded",
      "This month's budget of the organization is spent. Raise it with PATCH /v1/automation-settings, or wait.",
    );
  }
  if (!run) throw new Error("A run by hand has no occurrence that could be taken.");
  return run;
}

const revisionCursor = defineNumberCursor("revision");

export async function listRevisions(ctx: MemberCtx, id: string, query: PageQuery) {
  const { automation } = await read(ctx, id);
  const before = revisionCursor.read(query, null);
  const automationId = automation.id as store.AutomationId;
  const rows = await store.listRevisions(ctx.db, ctx.orgId, automationId, before, query.limit);
  const items = rows.map(({ found: _, ...revision }): Revision => revision);
  const hasMore = (rows[0]?.found ?? 0) > rows.length;
  return { items, nextCursor: hasMore ? revisionCursor.write(items.at(-1)!.revision) : null };
}
