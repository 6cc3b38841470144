import type { Random } from "../random.ts";
import { addTerminalEvent, pickDuration, planAttempt } from "./attempts.ts";
import type { Completion, PlannedAttempt, PlannedAutomation, PlannedRun } from "./types.ts";
import { type Failure, workProfiles } from "./work.ts";

/** The outcome of a run that does not simply follow its work. */
export type RunOutcome =
  | { kind: "failed"; failure: Failure }
  | { kind: "missed"; foundAt: number }
  | { kind: "lease_lost" }
  | { kind: "timed_out" }
  | { kind: "cancelled"; by: string; afterMs: number }
  | { kind: "over_budget" }
  | { kind: "queued" }
  | { kind: "running" };

/** A run to plan. */
export interface Slot {
  automation: PlannedAutomation;
  createdAt: number;
  occurrenceAt: number | null;
  requestedBy?: string;
  retryOf?: Slot;
  outcome?: RunOutcome;
  runner?: string;
}

const leaseMs = 60_000;

export function planRun(random: Random, slot: Slot, now: number): PlannedRun {
  const { automation, createdAt, occurrenceAt, requestedBy, outcome } = slot;
  const revisionTime = slot.retryOf?.createdAt ?? createdAt;
  const revision = automation.revisions.findLastIndex(({ at }) => at <= revisionTime) + 1;
  const base: PlannedRun = {
    ...{ automation: automation.key, revision, owner: automation.owner, occurrenceAt, createdAt },
    trigger: occurrenceAt === null ? "manual" : "schedule",
    requestedBy: requestedBy ?? null,
    retryOf: null,
    ...{ status: "queued", reason: null, reasonDetail: null, fenced: false, cancel: null },
    ...{ queuedAt: createdAt, startedAt: null, finishedAt: null, deadlineAt: null },
    ...{ attempts: [], completion: null, lateReports: [] },
  };
  switch (outcome?.kind) {
    case "queued":
      return base;
    case "missed": {
      const from = new Date(occurrenceAt!).toISOString();
      const reasonDetail = `Once it was due while the service was not running or the organization was suspended, from ${from} on.`;
      const at = outcome.foundAt;
      return {
        ...base,
        status: "skipped",
        reason: "missed",
        reasonDetail,
        createdAt: at,
        queuedAt: at,
        finishedAt: at,
      };
    }
    case "over_budget":
      return {
        ...base,
        status: "skipped",
        reason: "monthly_budget_exceeded",
        reasonDetail: "This month's budget is spent.",
        finishedAt: createdAt,
      };
    default:
      return planStartedRun(random, slot, base, now);
  }
}

function planStartedRun(
  random: Random,
  { automation, outcome, runner: given }: Slot,
  base: PlannedRun,
  now: number,
): PlannedRun {
  const work = workProfiles[automation.key]!;
  const revision = automation.revisions[base.revision - 1]!;
  const startedAt = base.createdAt + random.int(1_200, 14_000);
  const runner = given ?? random.pick(["build-1", "build-2"]);
  const planned = startedAt + pickDuration(random, work.minutes);
  const attempt = (from: number, endedAt: number, progress: number, by = runner, failure?: Failure) =>
    planAttempt(random, work, revision, { runner: by, startedAt: from, endedAt, progress, failure });
  const deadline = startedAt + revision.maxRuntimeSeconds * 1000;
  const run = { ...base, startedAt };

  if (outcome?.kind === "running") {
    const { attempt: only } = attempt(startedAt, now, 0.6);
    return { ...run, status: "running", deadlineAt: deadline, attempts: [{ ...only, endedAt: null }] };
  }
  if (outcome?.kind === "timed_out") {
    const finishedAt = deadline + leaseMs + 700;
    const { attempt: only } = attempt(startedAt, deadline, 0.8);
    return {
      ...run,
      status: "failed",
      reason: "timed_out",
      reasonDetail: "It ran longer than its automation allows and did not stop when asked.",
      fenced: true,
      cancel: { at: deadline + 300, by: null, reason: "timed_out" },
      finishedAt,
      attempts: [{ ...only, endedAt: finishedAt, outcome: "timed_out" }],
    };
  }
  if (outcome?.kind === "cancelled") {
    const at = startedAt + outcome.afterMs;
    const done = attempt(startedAt, at + 4_000, 0.4);
    const ended = completeRun(random, run, [], done, "cancelled", null, null);
    return { ...ended, reason: "requested", cancel: { at, by: outcome.by, reason: "requested" } };
  }
  if (outcome?.kind === "lease_lost") return planLostLease(random, run, attempt, runner, planned - startedAt);
  const failure =
    outcome?.kind === "failed"
      ? outcome.failure
      : random.chance(work.failureRate)
        ? random.pick(work.failures)
        : undefined;
  if (failure) {
    const { message, retryable } = failure;
    const early = startedAt + Math.floor((planned - startedAt) / 3);
    const done = attempt(startedAt, early, 0.3, runner, failure);
    return completeRun(random, run, [], done, "failed", null, { message, retryable });
  }
  const done = attempt(startedAt, planned, 1);
  return completeRun(random, run, [], done, "succeeded", done.summary, null);
}

/** The runner stops reporting in the first attempt. It reports again when another runner has the run. */
function planLostLease(
  random: Random,
  run: PlannedRun & { startedAt: number },
  attempt: (from: number, endedAt: number, progress: number, by?: string) => ReturnType<typeof planAttempt>,
  runner: string,
  durationMs: number,
): PlannedRun {
  const { attempt: first } = attempt(run.startedAt, run.startedAt + durationMs, 1);
  const silentAfter = Math.floor(first.events.length * 0.6);
  const lateEvent = first.events[silentAfter]!;
  const events = first.events.slice(0, silentAfter);
  const lostAt = events.at(-1)!.at + leaseMs + 600;
  const lost: PlannedAttempt = {
    ...first,
    events,
    usage: first.usage.filter(({ report }) => report < silentAfter),
    endedAt: lostAt,
    outcome: "lease_lost",
  };
  const again = lostAt + random.int(2_000, 9_000);
  const second = attempt(again, again + durationMs, 1, runner === "build-1" ? "build-2" : "build-1");
  const ended = completeRun(random, run, [lost], second, "succeeded", second.summary, null);
  return { ...ended, queuedAt: lostAt, lateReports: [{ receivedAt: lostAt + 41_000, event: lateEvent }] };
}

function completeRun(
  random: Random,
  run: PlannedRun,
  earlier: PlannedAttempt[],
  { attempt, rest }: ReturnType<typeof planAttempt>,
  status: Completion["status"],
  resultSummary: string | null,
  error: Completion["error"],
): PlannedRun {
  const { model: _, ...usage } = rest;
  addTerminalEvent(attempt, {
    status,
    ...(resultSummary === null ? {} : { summary: resultSummary }),
    ...(error ? { error } : {}),
  });
  const finishedAt = attempt.endedAt!;
  return {
    ...run,
    status,
    reason: status === "succeeded" ? null : "reported",
    reasonDetail: error?.message ?? null,
    finishedAt,
    attempts: [
      ...earlier,
      { ...attempt, outcome: status, usage: [...attempt.usage, { ...rest, report: -1, at: finishedAt }] },
    ],
    completion: {
      ...{ attempt: earlier.length + 1, status, workspaceId: null, resultSummary, usage, error },
      sessionId: `session-${random.hex(12)}`,
    },
  };
}
