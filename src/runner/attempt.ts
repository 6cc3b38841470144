import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { longestTimerMs } from "./backoff.ts";
import { type Child, type Command, neverStarted, startChild } from "./child.ts";
import { prepareContext } from "./context.ts";
import { deliver, type Fate } from "./delivery.ts";
import type { Refused } from "./failures.ts";
import type { Guard } from "./guard.ts";
import type { Journal } from "./journal.ts";
import { keepLease } from "./lease.ts";
import type { Line } from "./lines.ts";
import { maskSecret } from "./mask.ts";
import { completionOf, cutOff, type StopReason, terminalEvent } from "./outcome.ts";
import type { Assignment } from "./replies.ts";
import type { Server } from "./server.ts";
import { complaint, type Event, maxComplaintBytes, type Result, understand } from "./speech.ts";
import type { KeptJournal } from "./state.ts";
import { addUsage, noUsage } from "./usage.ts";

/** A line of JSON can be longer than what is kept of it: a result has the whole text in it, say. */
const maxLineBytes = 1024 * 1024;
/** A command that talks without end must fill neither this disk nor the server's. */
const maxEvents = 100_000;
const maxJournalBytes = 64 * 1024 * 1024;
/** Extra room for usage events in a full journal, because usage decides costs. Beyond it usage is only added up. */
const spareEvents = 10_000;
const spareBytes = 4 * 1024 * 1024;
const maxComplaints = 1_000;
const journalLimits = { events: maxEvents, bytes: maxJournalBytes, spareEvents, spareBytes };

export interface Conditions {
  server: Server;
  command: Command;
  /** Where the command starts; without it, in a folder of the run's own that goes with it. */
  workdir: string | undefined;
  workFolder: string;
  environment: NodeJS.ProcessEnv;
  killAfterMs: number;
  guard: Guard;
  /** Ends all waiting for the server. */
  halt: AbortSignal;
  onStopping(runId: string, reason: string): void;
  onFault(error: unknown): void;
}

export interface Attempt {
  stop(reason: StopReason): void;
  readonly fate: Promise<Fate>;
}

/** Runs the command for an assignment and tells the server all about it. `since` is when the claim was sent. */
export function startAttempt(
  terms: Conditions,
  { journal }: KeptJournal,
  assignment: Assignment,
  since: number,
): Attempt {
  const { runId, attempt, timeoutMs } = assignment;
  const over = new AbortController();
  const delivery = deliver(journal, terms.server, AbortSignal.any([terms.halt, over.signal]));
  let stopped: StopReason | undefined;
  let lost: Refused | undefined;

  const cwd = terms.workdir ?? join(terms.workFolder, `${runId}.${attempt}`);
  if (!terms.workdir) mkdirSync(cwd, { recursive: true, mode: 0o700 });
  const folder = join(terms.workFolder, `${runId}.${attempt}.context`);
  const mask = maskSecret(assignment.credential);
  const listener = createListener(journal, delivery.wake, journalLimits, mask);
  const unready = new AbortController();
  const child = (async (): Promise<Child> => {
    const signal = AbortSignal.any([terms.halt, unready.signal]);
    const context = await prepareContext(terms.server, assignment, { folder, cwd }, signal);
    if (signal.aborted) throw new Error("the run was stopped");
    const env = { ...describe(assignment, cwd, terms.server.url), ...context.environment };
    return startChild(
      terms.command,
      assignment.instructions,
      { cwd, env: { ...terms.environment, ...env } },
      { stdout: maxLineBytes, stderr: maxComplaintBytes },
      { ...listener, room: delivery.room },
      terms.guard,
    );
  })().catch((error: Error) => neverStarted(error.message));
  const endChild = (killAfterMs: number) => {
    unready.abort();
    void child.then((started) => started.stop(killAfterMs));
  };

  const stop = (reason: StopReason) => {
    if (stopped || lost) return;
    stopped = reason;
    terms.onStopping(runId, reason);
    endChild(terms.killAfterMs);
  };
  const lose = (refusal: Refused) => {
    if (lost || journal.completion) return;
    lost = refusal;
    terms.onStopping(runId, refusal.code);
    // Somebody else may be at it already: no time for last words.
    endChild(Math.min(terms.killAfterMs, 2_000));
  };
  // Counted from before the claim, so that it is us who end the run and say why, and not the server.
  const timer = setTimeout(
    () => stop("timed_out"),
    Math.min(Math.max(0, since + timeoutMs - performance.now()), longestTimerMs),
  );
  const holder = {
    onCancel: () => stop("cancelled"),
    onLost: lose,
    onLapse: () => stop("lease_lapsed"),
    onFault: terms.onFault,
  };
  void keepLease(terms.server, { runId, attempt, since }, holder, over.signal);

  const fate = (async (): Promise<Fate> => {
    // While the command runs, only a refusal ends the delivery.
    void delivery.fate.then(
      (early) => early.fate === "lost" && lose(early.refusal),
      (error) => {
        stop("runner_stopped");
        terms.onFault(error);
      },
    );
    try {
      const exit = await (await child).ended;
      clearTimeout(timer);
      if (lost) {
        over.abort();
        // It must not write into a journal that is put aside.
        await delivery.fate.catch(() => {});
        return { fate: "lost", refusal: lost };
      }
      const completion = completionOf({
        ...listener.heard(),
        attempt,
        exit,
        stopped,
        usage: journal.usage,
        timeoutMs,
      });
      journal.end(terminalEvent(completion, exit), completion, Date.now());
      delivery.wake();
      return await delivery.fate;
    } finally {
      clearTimeout(timer);
      over.abort();
      rmSync(folder, { recursive: true, force: true });
      if (!terms.workdir) rmSync(cwd, { recursive: true, force: true });
    }
  })();
  return { stop, fate };
}

/** Tells the rest of a run that an earlier process of this runner began. */
export async function finishLeftBehind(
  terms: Pick<Conditions, "server" | "halt" | "onFault">,
  { journal }: KeptJournal,
): Promise<Fate> {
  const { runId, attempt } = journal.begin;
  if (!journal.completion) {
    const completion = cutOff(attempt);
    journal.end(terminalEvent(completion), completion, Date.now());
  }
  const over = new AbortController();
  const since = performance.now() - 15_000;
  // How the attempt stands is said by the answers to what is delivered; this only keeps it meanwhile.
  const holder = { onCancel() {}, onLost() {}, onLapse() {}, onFault: terms.onFault };
  void keepLease(terms.server, { runId, attempt, since }, holder, over.signal);
  try {
    return await deliver(journal, terms.server, terms.halt).fate;
  } finally {
    over.abort();
  }
}

export function createListener(
  journal: Journal,
  wake: () => void,
  limits = journalLimits,
  mask = (line: Line): Line => line,
) {
  let result: Result | undefined;
  let lastLine: string | undefined;
  let lastComplaint: string | undefined;
  let complaints = 0;
  let isFull = false;
  let uncounted = noUsage;

  const add = (events: Event[]) => {
    if (events.length === 0) return;
    journal.add(events, Date.now());
    wake();
  };
  const hasSpareRoom = (more: number) =>
    journal.count + more < limits.events + limits.spareEvents &&
    journal.bytes < limits.bytes + limits.spareBytes;
  const warn = (text: string): Event => ({ type: "warning", payload: { text } });
  return {
    onStdout(lines: Line[]) {
      const events: Event[] = [];
      for (const line of lines) {
        const said = understand(mask(line));
        if (!said) continue;
        if ("result" in said) {
          result = said.result;
          continue;
        }
        if (said.plain !== undefined) lastLine = said.plain;
        const wasFull = isFull;
        isFull ||= journal.count + events.length >= limits.events || journal.bytes >= limits.bytes;
        if (isFull && !wasFull)
          events.push(warn("It said too much: from here on only usage and the result are kept."));
        if (!isFull) events.push(said.event);
        else if (said.usage) {
          // Keeps only the counters, because the rest of the line may be long.
          if (hasSpareRoom(events.length)) events.push({ type: "usage", payload: { ...said.usage } });
          else uncounted = addUsage(uncounted, said.usage);
        }
      }
      add(events);
    },
    onStderr(lines: Line[]) {
      const events: Event[] = [];
      for (const line of lines) {
        const event = complaint(mask(line));
        if (!event) continue;
        lastComplaint = event.payload.text as string;
        complaints++;
        if (complaints < maxComplaints && !isFull) events.push(event);
        else if (complaints === maxComplaints && !isFull) events.push(warn("More on stderr is left out."));
      }
      add(events);
    },
    heard: () => ({ result, lastLine, lastComplaint, uncounted }),
  };
}

/** Environment variables that the command receives. They do not include the runner's key or token. */
const describe = (assignment: Assignment, cwd: string, url: string): NodeJS.ProcessEnv => ({
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
