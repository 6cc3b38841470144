import { type Attempt, type Conditions, finishLeftBehind, startAttempt } from "./attempt.ts";
import { createBackoff, pause } from "./backoff.ts";
import type { Command } from "./child.ts";
import type { Fate } from "./delivery.ts";
import { Denied, Refused, Unreachable } from "./failures.ts";
import { startGuard } from "./guard.ts";
import { checkPublicUrl } from "./public-url.ts";
import type { Assignment } from "./replies.ts";
import type { News, Say } from "./say.ts";
import { createServer, type Link, type Self, type Server } from "./server.ts";
import type { KeptJournal, State } from "./state.ts";
import { listen } from "./wake-ups.ts";
import { createWaker } from "./waker.ts";

export interface Settings {
  url: string;
  key: string;
  self: Self;
  command: Command;
  workdir: string | undefined;
  /** What the command inherits. */
  environment: NodeJS.ProcessEnv;
  /** Between SIGTERM and SIGKILL. */
  killAfterMs: number;
  /** How long runs may go on when the runner is asked to stop. */
  stopAfterMs: number;
  /** Ends after one run. */
  once: boolean;
}

/** With wake-ups it is only a safety net; without them it is how work is found. */
const lookEveryMs = { listening: 60_000, deaf: 4_000 };
/** For what is still to be told when everything else has ended. */
const lastWordsMs = 8_000;
/** Pause between two requests for work, however often the server announces work. */
const lookPauseMs = 100;
const tidyEveryMs = 3600_000;

/** Works until the signal. True when everything went as asked; with `once`, when that run succeeded. */
export async function runRunner(
  settings: Settings,
  state: State,
  say: Say,
  signal: AbortSignal,
): Promise<boolean> {
  const halt = new AbortController();
  const stopping = new AbortController();
  let instance = "";
  // Who wants one run is told in one sentence, and not that it is tried again.
  const link = createLink(settings.url, (news) => (instance !== "" || !settings.once) && say(news));
  const server = createServer(settings.url, settings.key, settings.self, halt.signal, link);
  const guard = startGuard();
  const active = new Map<string, { attempt: number; handle?: Attempt; done: Promise<void> }>();
  /** Refused for a reason that would come again. */
  const givenUp = new Set<string>();
  const waker = createWaker();
  let isListening = false;
  let fault: unknown;
  let verdict: boolean | undefined;

  const stop = () => stopping.abort();
  const onFault = (error: unknown) => {
    fault ??= error;
    stop();
  };
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();

  const terms: Conditions = {
    ...settings,
    server,
    guard,
    workFolder: state.workFolder,
    halt: halt.signal,
    onStopping: (runId, reason) => say({ event: "run_stopping", runId, reason: reason.replaceAll("_", " ") }),
    onFault,
  };

  /** Follows an attempt to its end and clears up behind it. */
  function follow(kept: KeptJournal, fate: Promise<Fate>, handle?: Attempt): void {
    const { runId, attempt, startedAt } = kept.journal.begin;
    const settle = async () => {
      try {
        conclude(kept, await fate, Date.now() - startedAt, handle !== undefined);
      } catch (error) {
        onFault(error);
      } finally {
        active.delete(runId);
        waker.wake();
      }
    };
    active.set(runId, { attempt, done: settle(), ...(handle ? { handle } : {}) });
  }

  function conclude(kept: KeptJournal, outcome: Fate, ms: number, isOwn: boolean): void {
    const { begin, completion, count } = kept.journal;
    const { runId, attempt } = begin;
    if (outcome.fate === "lost") {
      const { code, message } = outcome.refusal;
      givenUp.add(`${runId} ${attempt}`);
      say({ event: "run_lost", runId, attempt, code, message, journal: kept.putAside() });
    } else if (outcome.fate === "stopped") {
      say({ event: "run_left", runId, attempt, events: kept.journal.pending.length });
    } else {
      kept.remove();
      const { status, error } = completion!;
      const message = error?.message;
      say({ event: "run_ended", runId, attempt, status, events: count, ms, ...(message ? { message } : {}) });
    }
    if (settings.once && isOwn) {
      verdict = outcome.fate === "delivered" && completion?.status === "succeeded";
      stop();
    }
  }

  async function begin(assignment: Assignment, since: number): Promise<void> {
    const { runId, attempt, automationName } = assignment;
    const startedAt = Date.now();
    const kept = await state.begin({ instance, runId, attempt, automationName, startedAt });
    if (settings.once) verdict = false;
    say({ event: "run_started", runId, attempt, automation: automationName });
    const handle = startAttempt(terms, kept, assignment, since);
    follow(kept, handle.fate, handle);
  }

  const working = () => [...active.values()].filter(({ handle }) => handle).length;
  const isFree = () => (settings.once ? verdict === undefined : working() < settings.self.concurrency);

  /** Claims what there is, as far as there is room. */
  async function look(): Promise<void> {
    const { held, items } = await server.work();
    for (const { runId, attempt, cancelRequested } of held) {
      if (cancelRequested && active.get(runId)?.attempt === attempt)
        active.get(runId)!.handle?.stop("cancelled");
    }
    // What we hold and do not know of was claimed by a request whose answer never came.
    for (const { runId, attempt } of [...held, ...items]) {
      if (!isFree() || stopping.signal.aborted) return;
      if (active.has(runId) || givenUp.has(`${runId} ${attempt}`)) continue;
      const since = performance.now();
      const assignment = await server.claim(runId).catch((error) => {
        if (error instanceof Refused) return null;
        throw error;
      });
      if (assignment && !givenUp.has(`${assignment.runId} ${assignment.attempt}`))
        await begin(assignment, since);
    }
  }

  async function work(): Promise<void> {
    const backoff = createBackoff();
    while (!stopping.signal.aborted) {
      let waitMs = isListening ? lookEveryMs.listening : lookEveryMs.deaf;
      if (isFree()) {
        try {
          await look();
          backoff.reset();
          await pause(lookPauseMs, stopping.signal);
        } catch (error) {
          if (!(error instanceof Unreachable)) throw error;
          await backoff.wait(stopping.signal, error.retryAfterMs);
          waitMs = 0;
        }
      }
      if (waitMs > 0) await waker.wait(stopping.signal, waitMs * (0.75 + Math.random() / 2));
    }
  }

  try {
    instance = await meet(server, settings, say, stopping.signal);
    if (!stopping.signal.aborted) {
      state.tidy();
      const tidying = setInterval(state.tidy, tidyEveryMs);
      for (const kept of state.leftBehind()) {
        const { runId, attempt, automationName } = kept.journal.begin;
        // Of another server, to which this folder may go back.
        if (kept.journal.begin.instance !== instance) continue;
        if (!kept.journal.completion)
          say({ event: "run_resumed", runId, attempt, automation: automationName });
        follow(kept, finishLeftBehind(terms, kept));
      }
      const { runnerId, concurrency } = settings.self;
      say({ event: "ready", runnerId, url: settings.url, concurrency });
      const ears = {
        onWork: waker.wake,
        onCancel: (runId: string, attempt: number) => {
          const run = active.get(runId);
          if (run?.attempt === attempt) run.handle?.stop("cancelled");
        },
        onLine: (up: boolean) => {
          isListening = up;
          waker.wake();
        },
        onDenied: onFault,
      };
      void listen(server, ears, stopping.signal).catch(onFault);
      await work();
      clearInterval(tidying);
    }
  } catch (error) {
    onFault(error);
  }
  await wind(active, settings, fault === undefined, say);
  halt.abort();
  await allDone(active);
  guard.close();
  signal.removeEventListener("abort", stop);
  if (fault !== undefined) throw fault;
  say({ event: "stopped" });
  return verdict ?? !settings.once;
}

const allDone = (active: Map<string, { done: Promise<void> }>) =>
  Promise.all([...active.values()].map(({ done }) => done));

/** Lets runs end within their time, then ends them, then gives their last words time to arrive. */
async function wind(
  active: Map<string, { handle?: Attempt; done: Promise<void> }>,
  { stopAfterMs, killAfterMs, once }: Settings,
  isPeaceful: boolean,
  say: Say,
): Promise<void> {
  if (!once) say({ event: "stopping", running: active.size });
  if (active.size === 0) return;
  const within = async (ms: number) => {
    const timer = new AbortController();
    await Promise.race([allDone(active), pause(ms, timer.signal)]);
    timer.abort();
  };
  if (isPeaceful) await within(stopAfterMs);
  for (const { handle } of active.values()) handle?.stop("runner_stopped");
  await within(killAfterMs + lastWordsMs);
}

/** Finds the server, and out whether it is the right one. Gives its instance. */
async function meet(server: Server, { url, once }: Settings, say: Say, signal: AbortSignal): Promise<string> {
  const backoff = createBackoff();
  while (!signal.aborted) {
    try {
      const { instance, publicUrl } = await server.about();
      await server.register();
      const note = await checkPublicUrl(url, publicUrl, instance);
      if (note) say({ event: "note", message: note });
      return instance;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (once)
        throw new Denied(
          `Nothing answers at ${url} (${error.message}). Is Signalbox running there? Check --url.`,
        );
      await backoff.wait(signal, error.retryAfterMs);
    }
  }
  return "";
}

/** Says when the server stops answering and when it answers again, once each. */
function createLink(url: string, say: (news: News) => void): Link {
  let isDown = false;
  return {
    up() {
      if (isDown) say({ event: "link_back", url });
      isDown = false;
    },
    down(reason: string) {
      if (!isDown) say({ event: "link_lost", url, reason });
      isDown = true;
    },
  };
}
