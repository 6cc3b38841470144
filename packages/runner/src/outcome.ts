import type { ChildExit } from "./child.ts";
import { type Event, type Result, toErrorMessage, toSummary } from "./output.ts";
import type { Completion } from "./replies.ts";
import { addUsage, isEmptyUsage, noUsage, subtractUsage, type Usage } from "./usage.ts";

/** Why the runner stopped a program. */
export type StopReason = "cancelled" | "timed_out" | "runner_stopped" | "lease_lapsed";

/** Everything that decides how an attempt ended. */
export interface AttemptFacts {
  attempt: number;
  exit: ChildExit;
  stopped: StopReason | undefined;
  result: Result | undefined;
  lastLine: string | undefined;
  lastErrorLine: string | undefined;
  /** The sum of the usage events. */
  usage: Usage;
  /** Usage that was reported after the journal was full. */
  uncounted?: Usage;
  timeoutMs: number;
}

export function createCompletion(facts: AttemptFacts): Completion {
  const { attempt, result, lastLine } = facts;
  const error = findError(facts);
  const remainingUsage = result?.usage ? subtractUsage(result.usage, facts.usage) : facts.uncounted;
  const summary = result ? result.summary : lastLine === undefined ? null : toSummary(lastLine);
  return {
    attempt,
    status: facts.stopped === "cancelled" ? "cancelled" : error ? "failed" : "succeeded",
    resultSummary: summary,
    sessionId: result?.sessionId ?? null,
    workspaceId: result?.workspaceId ?? null,
    // The server has counted the usage events already.
    usage: remainingUsage && !isEmptyUsage(remainingUsage) ? remainingUsage : null,
    error: facts.stopped === "cancelled" ? null : error,
  };
}

/** Adds usage that no event could report. */
export const addMissingUsage = (completion: Completion, missing: Usage): Completion =>
  isEmptyUsage(missing)
    ? completion
    : { ...completion, usage: addUsage(completion.usage ?? noUsage, missing) };

/** EX_TEMPFAIL of sysexits.h: a temporary failure. */
const temporaryFailure = 75;

const stopErrors: Record<Exclude<StopReason, "cancelled">, (facts: AttemptFacts) => Completion["error"]> = {
  timed_out: ({ timeoutMs }) => ({
    message: `It ran longer than the ${Math.round(timeoutMs / 1000)} s it may, and was stopped.`,
    retryable: false,
  }),
  runner_stopped: () => ({
    message: "Its runner was stopped before the command had ended.",
    retryable: true,
  }),
  lease_lapsed: () => ({
    message: "Its runner could not reach the server for the length of the lease, and stopped the command.",
    retryable: true,
  }),
};

function findError(facts: AttemptFacts): Completion["error"] {
  const { exit, stopped, result, lastErrorLine } = facts;
  if (stopped === "cancelled") return null;
  if (stopped) return stopErrors[stopped](facts);
  const reason = result?.error?.message ?? lastErrorLine;
  const suffix = reason === undefined ? "" : `: ${reason}`;
  const retryable = result?.error?.retryable;
  if ("fault" in exit)
    return { message: `The command could not be started: ${exit.fault}`, retryable: false };
  if ("signal" in exit) {
    return {
      message: toErrorMessage(`The command was ended by ${exit.signal}${suffix}`),
      retryable: retryable ?? true,
    };
  }
  if (exit.code !== 0) {
    const message = toErrorMessage(`The command ended with ${exit.code}${suffix}`);
    return { message, retryable: retryable ?? exit.code === temporaryFailure };
  }
  if (!result?.failed) return null;
  const message = result.error?.message ?? result.summary ?? "The command said that it failed.";
  return { message: toErrorMessage(message), retryable: retryable ?? false };
}

/** The last event of an attempt. */
export function createTerminalEvent({ status, resultSummary, error }: Completion, exit?: ChildExit): Event {
  return {
    type: "terminal",
    payload: {
      status,
      ...(exit && "code" in exit ? { exitCode: exit.code } : {}),
      ...(exit && "signal" in exit ? { signal: exit.signal } : {}),
      ...(resultSummary === null ? {} : { summary: resultSummary }),
      ...(error ? { error } : {}),
    },
  };
}

/** For a run whose program ended together with the runner. */
export const createInterruptedCompletion = (attempt: number): Completion => ({
  attempt,
  status: "failed",
  resultSummary: null,
  sessionId: null,
  workspaceId: null,
  usage: null,
  error: { message: "Its runner ended in the middle of the run, and the command with it.", retryable: true },
});
