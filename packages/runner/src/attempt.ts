import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { longestTimerMs, type RefusedError } from "@signalbox/client";
import type { RunnerApi } from "./api.ts";
import { type Child, type Command, createFailedChild, startChild } from "./child.ts";
import { prepareContext } from "./context.ts";
import { type DeliveryResult, deliver } from "./delivery.ts";
import { removeFolder } from "./folders.ts";
import type { Guard } from "./guard.ts";
import { keepLease } from "./lease.ts";
import { maskSecret } from "./mask.ts";
import {
  createCompletion,
  createInterruptedCompletion,
  createTerminalEvent,
  type StopReason,
} from "./outcome.ts";
import { maxErrorLineBytes } from "./output.ts";
import { createOutputRecorder } from "./output-recorder.ts";
import type { Assignment } from "./replies.ts";
import type { JournalFile } from "./state.ts";
import { createTelemetryEnvironment } from "./telemetry.ts";

/** A line of JSON can be longer than its payload: a result contains the whole text, for example. */
const maxLineBytes = 1024 * 1024;

export interface AttemptSettings {
  api: RunnerApi;
  command: Command;
  /** Where the program starts. Without it, each run has its own folder, which is removed with it. */
  workdir: string | undefined;
  workFolder: string;
  environment: NodeJS.ProcessEnv;
  killAfterMs: number;
  guard: Guard;
  /** Ends all waiting for the server. */
  halt: AbortSignal;
  onStopping(runId: string, reason: string): void;
  /** A folder of the run could not be removed. */
  onFolderLeft(problem: string): void;
  onFault(error: unknown): void;
}

export interface Attempt {
  stop(reason: StopReason): void;
  readonly result: Promise<DeliveryResult>;
}

/** Runs the program for an assignment and sends its events to the server. `since` is when the claim was sent. */
export function startAttempt(
  settings: AttemptSettings,
  { journal }: JournalFile,
  assignment: Assignment,
  since: number,
): Attempt {
  const { api } = settings;
  const { runId, attempt, timeoutMs } = assignment;
  const over = new AbortController();
  const delivery = deliver(journal, api, AbortSignal.any([settings.halt, over.signal]));
  let stopped: StopReason | undefined;
  let lost: RefusedError | undefined;

  const cwd = settings.workdir ?? join(settings.workFolder, `${runId}.${attempt}`);
  if (!settings.workdir) mkdirSync(cwd, { recursive: true, mode: 0o700 });
  const folder = join(settings.workFolder, `${runId}.${attempt}.context`);
  const mask = maskSecret(assignment.credential);
  const recorder = createOutputRecorder(journal, delivery.wake, undefined, mask);
  const preparing = new AbortController();
  const child = (async (): Promise<Child> => {
    const signal = AbortSignal.any([settings.halt, preparing.signal]);
    const context = await prepareContext(api, assignment, { folder, cwd }, signal);
    if (signal.aborted) throw new Error("the run was stopped");
    const env = {
      ...settings.environment,
      ...createTelemetryEnvironment(assignment, api.url, settings.environment),
      ...createEnvironment(assignment, cwd, api.url),
      ...context.environment,
    };
    return startChild(
      settings.command,
      assignment.instructions,
      { cwd, env },
      { stdout: maxLineBytes, stderr: maxErrorLineBytes },
      { ...recorder, waitForSpace: delivery.waitForSpace },
      settings.guard,
    );
  })().catch((error: Error) => createFailedChild(error.message));
  const endChild = (killAfterMs: number) => {
    preparing.abort();
    void child.then((started) => started.stop(killAfterMs));
  };

  const stop = (reason: StopReason) => {
    // A program that has ended cannot be stopped, and another process can have its id.
    if (stopped || lost || journal.completion) return;
    stopped = reason;
    settings.onStopping(runId, reason);
    endChild(settings.killAfterMs);
  };
  const lose = (refusal: RefusedError) => {
    if (lost || journal.completion) return;
    lost = refusal;
    settings.onStopping(runId, refusal.code);
    // Another runner may have the run already, so the program gets little time to stop.
    endChild(Math.min(settings.killAfterMs, 2_000));
  };
  // Counted from before the claim, so that the runner ends the run before the server does, and reports why.
  const timer = setTimeout(
    () => stop("timed_out"),
    Math.min(Math.max(0, since + timeoutMs - performance.now()), longestTimerMs),
  );
  const leaseHandlers = {
    onCancel: () => stop("cancelled"),
    onLost: lose,
    onLapse: () => stop("lease_lapsed"),
    onFault: settings.onFault,
  };
  void keepLease(api, { runId, attempt, since }, leaseHandlers, over.signal);

  const result = (async (): Promise<DeliveryResult> => {
    // While the program runs, only a refusal ends the delivery.
    void delivery.result.then(
      (early) => early.status === "lost" && lose(early.refusal),
      (error) => {
        stop("runner_stopped");
        settings.onFault(error);
      },
    );
    try {
      const exit = await (await child).ended;
      clearTimeout(timer);
      if (lost) {
        over.abort();
        // The delivery must not write to a journal that is archived.
        await delivery.result.catch(() => {});
        return { status: "lost", refusal: lost };
      }
      const completion = createCompletion({
        ...recorder.summarize(),
        attempt,
        exit,
        stopped,
        usage: journal.usage,
        timeoutMs,
      });
      journal.end(createTerminalEvent(completion, exit), completion, Date.now());
      delivery.wake();
      return await delivery.result;
    } finally {
      clearTimeout(timer);
      over.abort();
      for (const one of settings.workdir ? [folder] : [folder, cwd]) {
        const problem = removeFolder(one);
        if (problem !== undefined) settings.onFolderLeft(problem);
      }
    }
  })();
  return { stop, result };
}

/** Delivers the rest of a run that an earlier process of this runner began. */
export async function finishInterruptedAttempt(
  { api, halt, onFault }: Pick<AttemptSettings, "api" | "halt" | "onFault">,
  { journal }: JournalFile,
): Promise<DeliveryResult> {
  const { runId, attempt } = journal.begin;
  if (!journal.completion) {
    const completion = createInterruptedCompletion(attempt);
    journal.end(createTerminalEvent(completion), completion, Date.now());
  }
  const over = new AbortController();
  const since = performance.now() - 15_000;
  // The replies to the delivery decide about the attempt. The lease is only kept in the meantime.
  const leaseHandlers = { onCancel() {}, onLost() {}, onLapse() {}, onFault };
  void keepLease(api, { runId, attempt, since }, leaseHandlers, over.signal);
  try {
    return await deliver(journal, api, halt).result;
  } finally {
    over.abort();
  }
}

/** Environment variables that the program receives. They do not include the runner's key or token. */
const createEnvironment = (assignment: Assignment, cwd: string, url: string): NodeJS.ProcessEnv => ({
  SIGNALBOX_URL: url,
  SIGNALBOX_RUN_ID: assignment.runId,
  SIGNALBOX_ATTEMPT: String(assignment.attempt),
  SIGNALBOX_AUTOMATION_ID: assignment.automationId,
  SIGNALBOX_AUTOMATION_NAME: assignment.automationName,
  SIGNALBOX_TIMEOUT_SECONDS: String(Math.floor(assignment.timeoutMs / 1000)),
  SIGNALBOX_WORKDIR: cwd,
  ...(assignment.model
    ? { SIGNALBOX_MODEL_PROVIDER: assignment.model.providerId, SIGNALBOX_MODEL: assignment.model.modelId }
    : {}),
});
