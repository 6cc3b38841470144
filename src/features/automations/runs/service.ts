import type { MemberCtx, OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, notFound, type Refusal } from "../../../platform/errors.ts";
import { type PageQuery, readPage } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { findExceededBudget, isMonthlyOfOrganization, listSubjects } from "../../llm-providers/index.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import { acceptsTelemetry } from "../../telemetry/index.ts";
import { completionReport } from "../costs/index.ts";
import { computeDigest } from "../digest.ts";
import { recordLateReports } from "../late-reports/index.ts";
import { listRunResources } from "../resources/index.ts";
import { createRunCredential, replaceCredential, type StoredCredential } from "../run-credentials/index.ts";
import { listReports, sumByRun } from "../usage/index.ts";
import { runChanges } from "./changes.ts";
import type { Assignment, Completion, NamedRun, Run, runQuery } from "./contract.ts";
import { countUsage } from "./counting.ts";
import { endRun } from "./ending.ts";
import { alreadyCompleted, checkFence, leaseLost, resultConflict } from "./fence.ts";
import { endExpiredLease } from "./leases.ts";
import * as store from "./store.ts";
import { announceWork } from "./work-announcements.ts";

/** The member whose runs the caller may read, or null for all members. */
export const resolveReach = ({ member }: MemberCtx): store.Reach =>
  member.permissions.has("automations:manage") ? null : member.id;

/** The holder of a lease: the id of the runner, or of the member. It does not depend on the credential. */
export const resolveHolder = ({ caller, member }: MemberCtx): string =>
  caller.credential === "runner" ? caller.credentialId : member.id;

const noRun = () => notFound("automation_run");
export function parseRunId(id: string): store.RunId {
  if (!isId("run", id)) throw noRun();
  return id;
}

export async function list(ctx: MemberCtx, query: (typeof runQuery)["_output"]) {
  const filter = {
    automationId: query.automationId ?? null,
    memberId: query.memberId ?? null,
    statuses: query.status ?? null,
    fromAt: query.fromAt ?? null,
    toAt: query.toAt ?? null,
  };
  return readPage(store.list(ctx.db, ctx.orgId, resolveReach(ctx), filter), query, "run");
}

/** Reads a run that the caller may read, and refuses any other id. */
export async function readRun(ctx: MemberCtx, id: string): Promise<NamedRun> {
  const { limitedTo } = ctx.caller;
  if (limitedTo && !limitedTo.has(id)) throw noRun();
  const run = await store.find(ctx.db, ctx.orgId, resolveReach(ctx), parseRunId(id));
  if (!run) throw noRun();
  return run;
}

export async function read(ctx: MemberCtx, id: string) {
  const { db, orgId } = ctx;
  const run = await readRun(ctx, id);
  const runId = run.id as store.RunId;
  const [automation, usage, attempts] = await Promise.all([
    store.findAutomationAsRun(db, orgId, runId),
    sumByRun(db, orgId, runId),
    store.listAttempts(db, orgId, runId),
  ]);
  // The run was deleted between the two queries.
  if (!automation) throw noRun();
  return { run, automation, usage, attempts };
}

export async function listUsage(ctx: MemberCtx, id: string, query: PageQuery) {
  return listReports(ctx, (await readRun(ctx, id)).id, query);
}

interface RunRequest {
  automationId: string;
  revision: number;
  memberId: string;
  trigger: Run["trigger"];
  retryOf?: string;
  occurrenceAt: number | null;
}

/**
 * Creates a run, either queued or skipped with a reason. Undefined when another process has created the run of the
 * occurrence, or when the storage is full and the run is scheduled.
 */
export async function createRun(
  platform: Pick<Platform, "bus" | "config" | "db" | "log" | "state">,
  tx: Db,
  orgId: OrgId,
  due: RunRequest,
  skip?: Pick<store.NewRun, "reason" | "reasonDetail">,
): Promise<NamedRun | undefined> {
  const meter = platform.state.get(quotaMeter);
  const full = await meter.findRefusal(tx, orgId, "automation_storage", overhead.run);
  if (full) {
    // A manual run is refused. A scheduled run leaves no row, because a row would need storage too.
    if (due.trigger === "manual") throw full;
    return undefined;
  }
  const why = skip ?? (await findSkipReason(tx, orgId, due));
  const run = await store.insert(tx, orgId, {
    ...due,
    retryOf: due.retryOf ?? null,
    id: newId("run"),
    status: why ? "skipped" : "queued",
    reason: why?.reason ?? null,
    reasonDetail: why?.reasonDetail ?? null,
  });
  if (run) tx.afterCommit(() => meter.add(orgId, "automation_storage", overhead.run));
  if (run?.status === "queued") await announceWork(platform.bus, tx, orgId, due.memberId);
  return run;
}

async function findSkipReason(tx: Db, orgId: OrgId, due: RunRequest) {
  const { automationId, trigger } = due;
  // Only scheduled runs are skipped while another run is live. A manual run is intended.
  if (trigger === "schedule") {
    const other = await store.findLive(tx, orgId, automationId);
    if (other) {
      const waiting = other.status === "queued" ? "still waits for a runner" : "is still running";
      return { reason: "overlap" as const, reasonDetail: `${other.id} ${waiting}.` };
    }
  }
  const provider = await store.findModelProvider(tx, orgId, automationId, due.revision);
  return findSpentBudget(tx, orgId, due.memberId, provider);
}

/** Why a run must not start: a budget of the organization, of the member, of a team or of the provider is spent. */
async function findSpentBudget(tx: Db, orgId: OrgId, memberId: string, provider: string | null) {
  const exceeded = await findExceededBudget(tx, orgId, await listSubjects(tx, orgId, memberId, provider));
  if (!exceeded) return undefined;
  return isMonthlyOfOrganization(exceeded)
    ? { reason: "monthly_budget_exceeded" as const, reasonDetail: "This month's budget is spent." }
    : { reason: "budget_exceeded" as const, reasonDetail: exceeded.message };
}

export async function claim(ctx: MemberCtx, id: string): Promise<{ assignment: Assignment | null }> {
  // The run credential has no more permissions than the caller.
  const telemetry = { acceptsTelemetry: await acceptsTelemetry(ctx) };
  const assignment = await ctx.db.transaction(async (tx) => {
    const run = await store.lock(tx, ctx.orgId, resolveReach(ctx), parseRunId(id));
    if (!run) throw noRun();
    return assign(ctx, tx, run);
  });
  // Also without an assignment, because the claim can end an expired lease or the run.
  ctx.state.get(runChanges).announce(ctx.db, id);
  return { assignment: assignment ? { ...assignment, ...telemetry } : null };
}

/** Assigns the locked run to the caller, if it has no holder or the caller is its holder. */
async function assign(ctx: MemberCtx, tx: Db, run: store.LockedRun) {
  const { orgId } = ctx;
  const holder = resolveHolder(ctx);
  const isHeld = run.status === "running" && run.live;
  if (!isHeld && ctx.caller.takesNoWork) return undefined;
  if (isHeld ? run.holder !== holder : !(await releaseForNextAttempt(ctx, tx, run))) return undefined;
  const { missing, ...resources } = await listRunResources(tx, orgId, run.id);
  if (!isHeld && missing.length > 0) {
    await endRun(tx, orgId, run.id, {
      status: "failed",
      reason: "resource_missing",
      reasonDetail: missing.join(" "),
      fenced: run.attempt > 0,
    });
    return undefined;
  }
  const spent = isHeld ? undefined : await findSpentBudget(tx, orgId, run.memberId, run.modelProviderId);
  if (spent) {
    await store.endRun(tx, orgId, run.id, { status: "skipped", ...spent, fenced: run.attempt > 0 });
    return undefined;
  }
  const { credential, stored } = createRunCredential(ctx);
  const claimed = isHeld
    ? await renewClaim(ctx, tx, run, stored)
    : await store.startAttempt(tx, orgId, run.id, holder, stored);
  return { ...claimed!, credential, ...resources };
}

async function renewClaim(
  ctx: MemberCtx,
  tx: Db,
  { id, attempt }: store.LockedRun,
  stored: StoredCredential,
) {
  await store.renewLease(tx, ctx.orgId, resolveReach(ctx), id, attempt, resolveHolder(ctx));
  await replaceCredential(tx, ctx.orgId, id, attempt, stored);
  return store.findAssignment(tx, ctx.orgId, id);
}

/** Ends an expired lease of the locked run. Returns whether the run can start its next attempt. */
async function releaseForNextAttempt(ctx: MemberCtx, tx: Db, run: store.LockedRun): Promise<boolean> {
  const status = run.status === "running" ? await endExpiredLease(ctx, tx, ctx.orgId, run) : run.status;
  if (status === "queued" && run.archived) {
    // The run was queued again at the moment its automation was archived.
    const ending = { status: "cancelled", reason: "automation_archived", reasonDetail: null } as const;
    await store.endRun(tx, ctx.orgId, run.id, { ...ending, fenced: run.attempt > 0 });
    return false;
  }
  return status === "queued";
}

export async function heartbeat(ctx: MemberCtx, id: string, { attempt }: { attempt: number }) {
  const { db, orgId } = ctx;
  const holder = resolveHolder(ctx);
  const runId = parseRunId(id);
  // A holder that may not read the run any more cannot renew its lease.
  const renewed = await store.renewLease(db, orgId, resolveReach(ctx), runId, attempt, holder);
  if (renewed) return { ...renewed, leaseValid: true as const };
  const run = await store.lock(db, orgId, resolveReach(ctx), runId);
  if (!run) throw noRun();
  throw checkFence(run, attempt, holder) === "over" ? alreadyCompleted() : leaseLost(run, attempt);
}

/** An accepted report renews the lease too, for runners that send no heartbeats. */
export const renewLease = (ctx: MemberCtx, id: store.RunId, attempt: number) =>
  store.renewLease(ctx.db, ctx.orgId, resolveReach(ctx), id, attempt, resolveHolder(ctx));

export async function cancel(ctx: MemberCtx, id: string): Promise<{ run: NamedRun }> {
  const run = await ctx.db.transaction(async (tx) => {
    const target = { type: "automation_run", id };
    await record(ctx, tx, { action: "automation_run.cancel_requested", target });
    return requestCancel(ctx, tx, ctx.orgId, resolveReach(ctx), parseRunId(id));
  });
  ctx.state.get(runChanges).announce(ctx.db, id);
  return { run };
}

async function requestCancel(
  platform: Pick<Platform, "bus">,
  tx: Db,
  orgId: OrgId,
  reach: store.Reach,
  id: store.RunId,
): Promise<NamedRun> {
  const run = await store.lock(tx, orgId, reach, id);
  if (!run) throw noRun();
  if (run.status === "queued") {
    const ending = { status: "cancelled", reason: "requested", reasonDetail: null } as const;
    await store.endRun(tx, orgId, id, { ...ending, fenced: run.attempt > 0 });
  } else if (run.status === "running") {
    await store.requestCancel(tx, orgId, id, "requested");
    await announceWork(platform.bus, tx, orgId, run.memberId);
    if (!run.live)
      await endExpiredLease(platform, tx, orgId, {
        ...run,
        cancelRequested: true,
        cancelReason: "requested",
      });
  } else if (run.status !== "cancelled") {
    throw alreadyCompleted();
  }
  return (await store.find(tx, orgId, reach, id))!;
}

/** Cancels the queued runs of an archived automation. Running runs continue. */
export async function cancelQueuedRuns(
  platform: Pick<Platform, "bus" | "db" | "state">,
  tx: Db,
  orgId: OrgId,
  automationId: string,
): Promise<void> {
  for (const { id } of await store.lockQueued(tx, orgId, automationId)) {
    const ending = { status: "cancelled", reason: "automation_archived", reasonDetail: null } as const;
    await store.endRun(tx, orgId, id, { ...ending, fenced: true });
    platform.state.get(runChanges).announce(tx, id);
  }
}

/** Either the stored result, or the refusal and whether the report is kept as a late report. */
type CompletionDecision<T> = { stored: T } | { refusal: Refusal; late: boolean };

export async function complete(ctx: MemberCtx, id: string, report: Completion): Promise<{ run: Run }> {
  const runId = parseRunId(id);
  const verdict = await ctx.db.transaction((tx) => decideCompletion(ctx, tx, runId, report));
  if ("refusal" in verdict) {
    if (verdict.late) {
      const late = { kind: "completion", attempt: report.attempt, sequence: null, body: report } as const;
      await recordLateReports(ctx, id, resolveHolder(ctx), [late]);
    }
    // A refused report can change the run too: it can end the lease, or be kept as a late report.
    ctx.state.get(runChanges).announce(ctx.db, id);
    throw verdict.refusal;
  }
  ctx.state.get(runChanges).announce(ctx.db, id);
  return { run: verdict.stored };
}

async function decideCompletion(
  ctx: MemberCtx,
  tx: Db,
  id: store.RunId,
  report: Completion,
): Promise<CompletionDecision<Run>> {
  const { orgId } = ctx;
  const { run, fenceResult } = await lockForReport(ctx, tx, id, report.attempt);
  const digest = computeCompletionDigest(report);
  if (fenceResult === "over") {
    const same = run.completionDigest === digest;
    return same
      ? { stored: (await store.findPlain(tx, orgId, id))! }
      : {
          refusal: resultConflict({ status: run.status, hasReport: run.completionDigest !== null }),
          late: false,
        };
  }
  if (fenceResult === "lost") {
    return { refusal: leaseLost(run, report.attempt), late: report.attempt <= run.attempt };
  }
  // A result is accepted even when the storage is full, because a run must be able to end. So its size is limited.
  const error = report.error && { ...report.error, message: cutErrorMessage(report.error.message) };
  await store.recordResult(tx, orgId, id, digest, { ...report, error });
  const bytes = Buffer.byteLength(report.resultSummary ?? "") + Buffer.byteLength(error?.message ?? "");
  tx.afterCommit(() => ctx.state.get(quotaMeter).add(orgId, "automation_storage", bytes));
  await store.endAttempt(tx, orgId, id, report.attempt, report.status);
  const reason =
    report.status === "succeeded"
      ? null
      : report.status === "cancelled" && run.cancelRequested
        ? run.cancelReason
        : "reported";
  const stored = await endRun(tx, orgId, id, {
    status: report.status,
    reason,
    reasonDetail: report.error?.message?.slice(0, 500) ?? null,
    fenced: false,
  });
  if (report.usage)
    await countUsage(ctx, tx, run, report.attempt, [
      { report: completionReport, usage: report.usage, usedAt: Date.now() },
    ]);
  return { stored: stored! };
}

const maxErrorMessageLength = 20_000;

/** A longer message is cut and not refused, because a run must be able to end, whatever its program says. */
const cutErrorMessage = (message: string | null) =>
  message?.slice(0, maxErrorMessageLength).toWellFormed() ?? null;

/** Fields that were added later are left out when they are empty, so that reports of earlier versions stay the same. */
function computeCompletionDigest({ usage, ...report }: Completion): string {
  const { inputTokens, outputTokens, costMicros, ...more } = usage ?? {
    inputTokens: 0,
    outputTokens: 0,
    costMicros: 0,
  };
  const added = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== 0 && value !== null));
  const counters = { inputTokens, outputTokens, costMicros: costMicros ?? 0, ...added };
  return computeDigest({ ...report, usage: usage && counters });
}

/** Locks the run and checks the fence for a report. The first report of a claimable attempt claims the run. */
export async function lockForReport(ctx: MemberCtx, tx: Db, id: store.RunId, attempt: number) {
  const holder = resolveHolder(ctx);
  const run = await store.lock(tx, ctx.orgId, resolveReach(ctx), id);
  if (!run) throw noRun();
  const fenceResult = checkFence(run, attempt, holder);
  if (fenceResult !== "claimable") return { run, fenceResult, claimed: false };
  if (ctx.caller.takesNoWork)
    throw conflict(
      "worker_takes_no_work",
      "The worker of this runner is paused or drains, so the runner gets no new runs. Resume the worker first.",
    );
  const claimed = await releaseForNextAttempt(ctx, tx, run);
  if (claimed) {
    await store.startAttempt(tx, ctx.orgId, id, holder);
    // The report is accepted, because what it tells has happened. But the run is asked to stop, as a claim would skip it.
    const spent = await findSpentBudget(tx, ctx.orgId, run.memberId, run.modelProviderId);
    if (spent) await store.requestCancel(tx, ctx.orgId, id, spent.reason);
  }
  const lockedRun = (await store.lock(tx, ctx.orgId, resolveReach(ctx), id))!;
  // The row is locked, so a run that could not be claimed has ended.
  const now = checkFence(lockedRun, attempt, holder) as Exclude<typeof fenceResult, "claimable">;
  return { run: lockedRun, fenceResult: now, claimed };
}
