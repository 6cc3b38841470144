import { createBackoff, pause, RefusedError, UnreachableError } from "@signalbox/client";
import {
  type ConnectionObserver,
  createRunnerApi,
  type RunnerAccess,
  type RunnerApi,
  type RunnerInfo,
} from "./api.ts";
import { type Attempt, type AttemptSettings, finishInterruptedAttempt, startAttempt } from "./attempt.ts";
import type { Command } from "./child.ts";
import type { DeliveryResult } from "./delivery.ts";
import { UnusableServerError } from "./errors.ts";
import { startGuard } from "./guard.ts";
import { checkPublicUrl } from "./public-url.ts";
import type { Assignment } from "./replies.ts";
import type { JournalFile, State } from "./state.ts";
import type { PrintStatus } from "./status.ts";
import { listenForWakeUps } from "./wake-ups.ts";
import { createWaker, type Waker } from "./waker.ts";

export interface Settings {
  url: string;
  /** An API key, or how the worker that hosts the runner gets its token. */
  access: string | RunnerAccess;
  info: RunnerInfo;
  command: Command;
  workdir: string | undefined;
  /** The environment that the program inherits. */
  environment: NodeJS.ProcessEnv;
  /** Between SIGTERM and SIGKILL. */
  killAfterMs: number;
  /** How long runs may go on when the runner is asked to stop. */
  stopAfterMs: number;
  /** Ends after one run. */
  once: boolean;
  /** False while the runner must take no new runs. */
  mayClaim?(): boolean;
  /** Called with the ids of all runs when one begins or ends. */
  onRuns?(runIds: readonly string[]): void;
  /** For whoever lets the runner look for work at once. */
  waker?: Waker;
}

/** With wake-ups, polling is only a safety net. Without them, it is how work is found. */
const pollEveryMs = { withWakeUps: 60_000, withoutWakeUps: 4_000 };
/** For the events that are still to be sent after all programs have ended. */
const finalDeliveryMs = 8_000;
/** Pause between two requests for work, however often the server announces work. */
const pollPauseMs = 100;
const cleanEveryMs = 3600_000;

interface ActiveRun {
  attempt: number;
  /** Missing for an attempt of an earlier process, of which only the rest is delivered. */
  handle?: Attempt;
  done: Promise<void>;
}

/** Works until the signal aborts. Returns whether all went as asked; with `once`, whether that run succeeded. */
export async function runRunner(
  settings: Settings,
  state: State,
  printStatus: PrintStatus,
  signal: AbortSignal,
): Promise<boolean> {
  const halt = new AbortController();
  const stopping = new AbortController();
  let instance = "";
  // With `once`, a server that is never reached is one error message instead of a status.
  const observer = createConnectionObserver(
    settings.url,
    (message) => (instance !== "" || !settings.once) && printStatus(message),
  );
  const api = createRunnerApi(settings.url, settings.access, settings.info, halt.signal, observer);
  const guard = startGuard();
  const active = new Map<string, ActiveRun>();
  /** Attempts that the server refused. It would refuse them again. */
  const givenUp = new Set<string>();
  const { waker = createWaker() } = settings;
  let hasWakeUps = false;
  let fault: unknown;
  let succeeded: boolean | undefined;

  const stop = () => stopping.abort();
  const onFault = (error: unknown) => {
    fault ??= error;
    stop();
  };
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();

  const attemptSettings: AttemptSettings = {
    ...settings,
    api,
    guard,
    workFolder: state.workFolder,
    halt: halt.signal,
    onStopping: (runId, reason) =>
      printStatus({ event: "run_stopping", runId, reason: reason.replaceAll("_", " ") }),
    onFolderLeft: (message) => printStatus({ event: "note", message }),
    onFault,
  };

  /** Waits for the end of an attempt and removes its journal. */
  function follow(file: JournalFile, result: Promise<DeliveryResult>, handle?: Attempt): void {
    const { runId, attempt, startedAt } = file.journal.begin;
    const settle = async () => {
      try {
        conclude(file, await result, Date.now() - startedAt, handle !== undefined);
      } catch (error) {
        onFault(error);
      } finally {
        active.delete(runId);
        settings.onRuns?.([...active.keys()]);
        waker.wake();
      }
    };
    active.set(runId, { attempt, done: settle(), ...(handle ? { handle } : {}) });
    settings.onRuns?.([...active.keys()]);
  }

  function conclude(file: JournalFile, result: DeliveryResult, ms: number, isOwn: boolean): void {
    const { begin, completion, count } = file.journal;
    const { runId, attempt } = begin;
    if (result.status === "lost") {
      const { code, message } = result.refusal;
      givenUp.add(`${runId} ${attempt}`);
      printStatus({ event: "run_lost", runId, attempt, code, message, journal: file.archive() });
    } else if (result.status === "stopped") {
      printStatus({ event: "run_left", runId, attempt, events: file.journal.pending.length });
    } else {
      file.remove();
      const { status, error } = completion!;
      const message = error?.message;
      const ended = { event: "run_ended", runId, attempt, status, events: count, ms } as const;
      printStatus({ ...ended, ...(message ? { message } : {}) });
    }
    if (settings.once && isOwn) {
      succeeded = result.status === "delivered" && completion?.status === "succeeded";
      stop();
    }
  }

  async function begin(assignment: Assignment, since: number): Promise<void> {
    const { runId, attempt, automationName } = assignment;
    const startedAt = Date.now();
    const file = await state.begin({ instance, runId, attempt, automationName, startedAt });
    if (settings.once) succeeded = false;
    printStatus({ event: "run_started", runId, attempt, automation: automationName });
    const handle = startAttempt(attemptSettings, file, assignment, since);
    follow(file, handle.result, handle);
  }

  const countRunning = () => [...active.values()].filter(({ handle }) => handle).length;
  const hasCapacity = () =>
    settings.mayClaim?.() === false
      ? false
      : settings.once
        ? succeeded === undefined
        : countRunning() < settings.info.concurrency;

  /** Claims as many runs as there is capacity for. */
  async function claimRuns(): Promise<void> {
    const { held, items } = await api.listWork();
    for (const { runId, attempt, cancelRequested } of held) {
      if (cancelRequested && active.get(runId)?.attempt === attempt)
        active.get(runId)!.handle?.stop("cancelled");
    }
    // A run that is held but unknown here was claimed by a request whose reply was lost.
    for (const { runId, attempt } of [...held, ...items]) {
      if (!hasCapacity() || stopping.signal.aborted) return;
      if (active.has(runId) || givenUp.has(`${runId} ${attempt}`)) continue;
      const since = performance.now();
      const assignment = await api.claim(runId).catch((error) => {
        if (error instanceof RefusedError) return null;
        throw error;
      });
      if (assignment && !givenUp.has(`${assignment.runId} ${assignment.attempt}`))
        await begin(assignment, since);
    }
  }

  async function poll(): Promise<void> {
    const backoff = createBackoff();
    while (!stopping.signal.aborted) {
      let waitMs = hasWakeUps ? pollEveryMs.withWakeUps : pollEveryMs.withoutWakeUps;
      if (hasCapacity()) {
        try {
          await claimRuns();
          backoff.reset();
          await pause(pollPauseMs, stopping.signal);
        } catch (error) {
          if (!(error instanceof UnreachableError)) throw error;
          await backoff.wait(stopping.signal, error.retryAfterMs);
          waitMs = 0;
        }
      }
      if (waitMs > 0) await waker.wait(stopping.signal, waitMs * (0.75 + Math.random() / 2));
    }
  }

  function finishInterruptedRuns(): void {
    for (const file of state.listUnfinished()) {
      const { runId, attempt, automationName } = file.journal.begin;
      // A journal for another server is kept until the runner works for that server again.
      if (file.journal.begin.instance !== instance) continue;
      if (!file.journal.completion)
        printStatus({ event: "run_resumed", runId, attempt, automation: automationName });
      follow(file, finishInterruptedAttempt(attemptSettings, file));
    }
  }

  try {
    instance = await connectToServer(api, settings, printStatus, stopping.signal);
    if (!stopping.signal.aborted) {
      state.removeOldArchives();
      const cleaning = setInterval(state.removeOldArchives, cleanEveryMs);
      finishInterruptedRuns();
      const { runnerId, concurrency } = settings.info;
      printStatus({ event: "ready", runnerId, url: settings.url, concurrency });
      const handlers = {
        onWork: waker.wake,
        onCancel: (runId: string, attempt: number) => {
          const run = active.get(runId);
          if (run?.attempt === attempt) run.handle?.stop("cancelled");
        },
        onConnection: (isConnected: boolean) => {
          hasWakeUps = isConnected;
          waker.wake();
        },
        onUnusableServer: onFault,
      };
      void listenForWakeUps(api, handlers, stopping.signal).catch(onFault);
      await poll();
      clearInterval(cleaning);
    }
  } catch (error) {
    onFault(error);
  }
  await stopRuns(active, settings, fault === undefined, printStatus);
  halt.abort();
  await waitForAll(active);
  guard.close();
  signal.removeEventListener("abort", stop);
  if (fault !== undefined) throw fault;
  printStatus({ event: "stopped" });
  return succeeded ?? !settings.once;
}

const waitForAll = (active: Map<string, ActiveRun>) =>
  Promise.all([...active.values()].map(({ done }) => done));

/** Lets runs end within their time, then stops their programs, then waits for the last events to be sent. */
async function stopRuns(
  active: Map<string, ActiveRun>,
  { stopAfterMs, killAfterMs, once }: Settings,
  mayFinish: boolean,
  printStatus: PrintStatus,
): Promise<void> {
  if (!once) printStatus({ event: "stopping", running: active.size });
  if (active.size === 0) return;
  const waitAtMost = async (ms: number) => {
    const timer = new AbortController();
    await Promise.race([waitForAll(active), pause(ms, timer.signal)]);
    timer.abort();
  };
  if (mayFinish) await waitAtMost(stopAfterMs);
  for (const { handle } of active.values()) handle?.stop("runner_stopped");
  await waitAtMost(killAfterMs + finalDeliveryMs);
}

/** Waits until the server answers, and registers the runner. Returns the id of the instance. */
async function connectToServer(
  api: RunnerApi,
  { url, once }: Settings,
  printStatus: PrintStatus,
  signal: AbortSignal,
): Promise<string> {
  const backoff = createBackoff();
  while (!signal.aborted) {
    try {
      const { instance, publicUrl } = await api.readServer();
      await api.register();
      const note = await checkPublicUrl(url, publicUrl, instance);
      if (note) printStatus({ event: "note", message: note });
      return instance;
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      if (once)
        throw new UnusableServerError(
          `Nothing answers at ${url} (${error.message}). Is Signalbox running there? Check --url.`,
        );
      await backoff.wait(signal, error.retryAfterMs);
    }
  }
  return "";
}

/** Prints when the server stops answering and when it answers again, once each. */
function createConnectionObserver(url: string, printStatus: PrintStatus): ConnectionObserver {
  let isDown = false;
  return {
    onConnected() {
      if (isDown) printStatus({ event: "link_back", url });
      isDown = false;
    },
    onDisconnected(reason) {
      if (!isDown) printStatus({ event: "link_lost", url, reason });
      isDown = true;
    },
  };
}
