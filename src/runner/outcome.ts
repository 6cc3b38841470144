import type { Exit } from "./child.ts";
import type { Completion } from "./server.ts";
import { type Event, messageOf, type Result, summaryOf } from "./speech.ts";
import { isNothing, restOf, type Usage } from "./usage.ts";

/** Why a command was ended by us. */
export type StopReason = "cancelled" | "timed_out" | "runner_stopped" | "lease_lapsed";

export interface Told {
  attempt: number;
  exit: Exit;
  stopped: StopReason | undefined;
  result: Result | undefined;
  lastLine: string | undefined;
  lastComplaint: string | undefined;
  /** What usage events have told already. */
  usage: Usage;
  /** Usage that was reported after the journal was full. */
  uncounted?: Usage;
  timeoutMs: number;
}

/** How a run ended, as it is reported. */
export function completionOf(told: Told): Completion {
  const { attempt, result, lastLine } = told;
  const error = errorOf(told);
  const rest = result?.usage ? restOf(result.usage, told.usage) : told.uncounted;
  const summary = result ? result.summary : lastLine === undefined ? null : summaryOf(lastLine);
  return {
    attempt,
    status: told.stopped === "cancelled" ? "cancelled" : error ? "failed" : "succeeded",
    resultSummary: summary,
    sessionId: result?.sessionId ?? null,
    workspaceId: result?.workspaceId ?? null,
    // The server has counted the usage events as they came: this is what they left out.
    usage: rest && !isNothing(rest) ? rest : null,
    error: told.stopped === "cancelled" ? null : error,
  };
}

/** EX_TEMPFAIL of sysexits.h: "try again later". */
const tryLater = 75;

const stopErrors: Record<Exclude<StopReason, "cancelled">, (told: Told) => Completion["error"]> = {
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

function errorOf(told: Told): Completion["error"] {
  const { exit, stopped, result, lastComplaint } = told;
  if (stopped === "cancelled") return null;
  if (stopped) return stopErrors[stopped](told);
  const why = result?.error?.message ?? lastComplaint;
  const because = why === undefined ? "" : `: ${why}`;
  const retryable = result?.error?.retryable;
  if ("fault" in exit)
    return { message: `The command could not be started: ${exit.fault}`, retryable: false };
  if ("signal" in exit) {
    return {
      message: messageOf(`The command was ended by ${exit.signal}${because}`),
      retryable: retryable ?? true,
    };
  }
  if (exit.code !== 0) {
    const message = messageOf(`The command ended with ${exit.code}${because}`);
    return { message, retryable: retryable ?? exit.code === tryLater };
  }
  if (!result?.failed) return null;
  const message = result.error?.message ?? result.summary ?? "The command said that it failed.";
  return { message: messageOf(message), retryable: retryable ?? false };
}

/** The last event of an attempt. */
export function terminalEvent({ status, resultSummary, error }: Completion, exit?: Exit): Event {
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

/** For a run whose command died with the runner. */
export const cutOff = (attempt: number): Completion => ({
  attempt,
  status: "failed",
  resultSummary: null,
  sessionId: null,
  workspaceId: null,
  usage: null,
  error: { message: "Its runner ended in the middle of the run, and the command with it.", retryable: true },
});
