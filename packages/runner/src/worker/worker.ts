import { randomUUID } from "node:crypto";
import { createBackoff, pause, RefusedError, UnreachableError } from "@signalbox/client";
import type { Settings } from "../runner.ts";
import type { PrintStatus } from "../status.ts";
import { createWaker } from "../waker.ts";
import {
  type Answer,
  apiVersion,
  type BeatStatus,
  createWorkerApi,
  type Desired,
  type Registration,
  type RuntimeReport,
  register,
} from "./api.ts";
import { type HostedRunner, hostRunner } from "./hosted-runner.ts";
import type { WorkerState } from "./state.ts";
import { runUpgradeCommand, type UpgradeCommand } from "./upgrade.ts";

export interface WorkerSettings {
  url: string;
  /** Undefined: the worker is registered already, or has a token. */
  registrationToken: string | undefined;
  registration: Omit<Registration, "instanceId">;
  version: string;
  /** Undefined: the worker hosts no runner. */
  runner: Omit<Settings, "once" | "onRuns" | "mayClaim" | "waker" | "url" | "access"> | undefined;
  upgradeCommand: UpgradeCommand | undefined;
}

/** The program was upgraded and has to be started again. */
export const restartExitCode = 75;

/** A change of the state is told at once, but not more often than this. */
const earlyBeatMs = 2_000;

/** After a sequence of this or more, the server accepts one below it: no number is the last one. */
const restartSequence = 2 ** 52;
export const findNextSequence = (sequence: number): number =>
  sequence >= restartSequence ? 0 : sequence + 1;

/** Works until it is asked to stop, by a signal or by the server. Returns the exit code. */
export async function runWorker(
  settings: WorkerSettings,
  state: WorkerState,
  printStatus: PrintStatus,
  signal: AbortSignal,
): Promise<number> {
  const { url } = settings;
  const token = state.kept.token ?? (await registerMachine(settings, state, printStatus, signal));
  if (token === undefined) return 0;
  const api = createWorkerApi(url, token);
  const bootId = randomUUID();
  const waker = createWaker();
  let runner: HostedRunner | undefined;
  let isPaused = false;
  let isDraining = false;
  let isDone = false;
  let sequence = -1;
  let reported = "";
  let exitCode = 0;
  let handledUpgrade: string | undefined;
  let leaving: Promise<void> | undefined;
  let upgrading: Promise<void> | undefined;

  const describeRuntime = (): RuntimeReport => {
    const problem = runner?.problem();
    const { info } = settings.runner ?? {};
    return {
      version: settings.version,
      apiVersion,
      platform: process.platform,
      arch: process.arch,
      capabilities: [...(settings.runner ? ["runner"] : []), ...(settings.upgradeCommand ? ["upgrade"] : [])],
      limits: info ? { concurrency: info.concurrency } : {},
      services: runner
        ? [
            problem
              ? { name: "runner", status: "failing", message: problem }
              : { name: "runner", status: "healthy" },
          ]
        : [],
      bootId,
      configurationRevision: state.kept.configurationRevision ?? 0,
    };
  };

  /** Reports what has changed. The first report also gives the sequence to continue with. */
  async function report(): Promise<Answer & { workerId: string }> {
    const runtime = describeRuntime();
    const answer = await api.report(runtime);
    reported = JSON.stringify(runtime);
    sequence = Math.max(sequence, answer.sequence);
    return answer;
  }

  const startRunner = (workerId: string) => {
    if (!settings.runner || signal.aborted) return;
    const access = {
      path: `/v1/workers/${workerId}/runner-token`,
      headers: { authorization: `Bearer ${token}` },
    };
    runner = hostRunner({
      settings: {
        ...settings.runner,
        ...{ url, access, mayClaim: () => !isPaused && !isDraining },
        info: { ...settings.runner.info, runnerId: workerId },
      },
      stateFolder: `${state.folder}/runner`,
      printStatus,
      onChange: waker.wake,
    });
  };

  const findStatus = (): BeatStatus =>
    isDone ? "stopped" : isDraining ? "draining" : (runner?.runIds().length ?? 0) > 0 ? "busy" : "idle";

  async function beat(): Promise<Answer> {
    if (JSON.stringify(describeRuntime()) !== reported) await report();
    sequence = findNextSequence(sequence);
    const answer = await api.beat(sequence, findStatus(), runner?.runIds().slice(0, 16) ?? []);
    // A process with the same token may have sent a larger one. Until a larger one than that, nothing is noticed.
    sequence = Math.max(sequence, answer.sequence);
    return answer;
  }

  /** Repeats a request until the server has answered it. False when it was refused, or when the worker has to stop. */
  async function tell(request: () => Promise<unknown>): Promise<boolean> {
    const backoff = createBackoff();
    for (;;) {
      try {
        await request();
        return true;
      } catch (error) {
        if (error instanceof RefusedError) return false;
        if (!(error instanceof UnreachableError)) throw error;
        await backoff.wait(signal, error.retryAfterMs);
        if (leaving || signal.aborted) return false;
      }
    }
  }

  async function drain(reason: string): Promise<void> {
    printStatus({ event: "worker", state: "draining", message: `Draining: ${reason}` });
    isDraining = true;
    waker.wake();
    await runner?.stop();
  }

  const leave = (reason: string) => {
    // An upgrade command that runs is not left behind half done.
    leaving ??= drain(reason)
      .then(() => upgrading)
      .then(() => {
        isDone = true;
        waker.wake();
      });
  };

  async function upgrade(id: string, version: string, workerId: string): Promise<void> {
    // Refused: the upgrade was cancelled, or its time is over.
    if (!(await tell(() => api.reportUpgrade(id, "acknowledged")))) return;
    const { upgradeCommand } = settings;
    if (!upgradeCommand) {
      const reason = "This worker has no upgrade command. Start it with --upgrade-command.";
      await tell(() => api.reportUpgrade(id, "failed", reason));
      return;
    }
    if (!(await tell(() => api.reportUpgrade(id, "draining")))) return;
    await drain(`upgrading to ${version}`);
    // Runs may have taken long, and the upgrade may have ended meanwhile.
    if (leaving || !(await tell(() => api.reportUpgrade(id, "draining")))) return resume(workerId);
    printStatus({ event: "worker", state: "upgrading", message: `Upgrading to ${version}` });
    const onLine = (line: string) => printStatus({ event: "note", message: `upgrade: ${line}` });
    // Written first: if this process is ended by its own upgrade, the next one reports how it went.
    state.save({ upgrade: { id, version } });
    const failure = await runUpgradeCommand(upgradeCommand, { id, version }, onLine);
    if (failure === undefined) {
      if (leaving) return;
      exitCode = restartExitCode;
      isDone = true;
      waker.wake();
      return;
    }
    printStatus({ event: "note", message: failure });
    // When it has to stop before the server answers, the next process reports it.
    if (!(await tell(() => api.reportUpgrade(id, "failed", failure))) && leaving) return;
    delete state.kept.upgrade;
    state.save({});
    resume(workerId);
  }

  /** Takes runs again after an upgrade that was not made. */
  function resume(workerId: string): void {
    if (leaving) return;
    isDraining = false;
    startRunner(workerId);
    waker.wake();
  }

  function follow(desired: Desired, workerId: string): void {
    if (desired.paused !== isPaused) {
      isPaused = desired.paused;
      printStatus({
        event: "worker",
        state: isPaused ? "paused" : "resumed",
        message: isPaused ? "Paused: taking no new runs." : "Resumed.",
      });
      // The server has announced the runs that wait already, and announces each once.
      if (!isPaused) runner?.wake();
    }
    if (desired.configurationRevision !== (state.kept.configurationRevision ?? 0)) {
      state.saveConfiguration(desired.configuration ?? {});
      state.save({ configurationRevision: desired.configurationRevision });
    }
    if (desired.drain) leave("the server asks for it.");
    // One at a time: an upgrade that is requested meanwhile is in the answers to later heartbeats too.
    else if (desired.upgradeId && desired.version && desired.upgradeId !== handledUpgrade && !leaving)
      upgrading ??= startUpgrade(desired.upgradeId, desired.version, workerId);
  }

  async function startUpgrade(id: string, version: string, workerId: string): Promise<void> {
    handledUpgrade = id;
    try {
      await upgrade(id, version, workerId);
    } catch (error) {
      printStatus({ event: "note", message: `The upgrade was interrupted: ${(error as Error).message}` });
      leave("the upgrade was interrupted.");
    } finally {
      upgrading = undefined;
      waker.wake();
    }
  }

  async function finishEarlierUpgrade(): Promise<void> {
    const { upgrade: earlier } = state.kept;
    if (!earlier) return;
    handledUpgrade = earlier.id;
    if (earlier.version !== settings.version) {
      const reason = `After the upgrade the worker still runs ${settings.version}, not ${earlier.version}.`;
      if (!(await tell(() => api.reportUpgrade(earlier.id, "failed", reason))) && signal.aborted) return;
    }
    delete state.kept.upgrade;
    state.save({});
  }

  const onSignal = () => leave("asked to stop.");
  signal.addEventListener("abort", onSignal);
  const backoff = createBackoff();
  try {
    const first = await connect(report, printStatus, url, signal);
    if (!first) return 0;
    await finishEarlierUpgrade();
    startRunner(first.workerId);
    printStatus({ event: "worker", state: "ready", message: `Worker ${first.workerId} works for ${url}` });
    follow(first.desired, first.workerId);
    if (signal.aborted) onSignal();
    for (;;) {
      const isLast = isDone;
      try {
        const { desired, nextHeartbeatSeconds } = await beat();
        backoff.reset();
        if (isLast) break;
        follow(desired, first.workerId);
        await pause(
          Math.min(earlyBeatMs, nextHeartbeatSeconds * 1000),
          isDone ? AbortSignal.abort() : undefined,
        );
        await waker.wait(neverAborts, Math.max(0, nextHeartbeatSeconds * 1000 - earlyBeatMs));
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        // The server finds out by itself that the worker has stopped.
        if (isLast) break;
        await backoff.wait(undefined, error.retryAfterMs);
      }
    }
    printStatus({ event: "worker", state: "stopped", message: "Stopped." });
    return exitCode;
  } catch (error) {
    await runner?.stop();
    throw error;
  } finally {
    signal.removeEventListener("abort", onSignal);
  }
}

const neverAborts = new AbortController().signal;

/** Reports until the server answers. Undefined when the worker was asked to stop before. */
async function connect<T>(
  report: () => Promise<T>,
  printStatus: PrintStatus,
  url: string,
  signal: AbortSignal,
): Promise<T | undefined> {
  const backoff = createBackoff();
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      return await report();
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      if (isFirst) printStatus({ event: "link_lost", url, reason: error.message });
      await backoff.wait(signal, error.retryAfterMs);
    }
  }
  return undefined;
}

/** Registers the machine. The instance id is on disk before, so a repeated registration gives the same worker. */
async function registerMachine(
  { url, registrationToken, registration }: WorkerSettings,
  state: WorkerState,
  printStatus: PrintStatus,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { instanceId } = state.kept;
  const body = { ...registration, instanceId };
  const registered = await connect(() => register(url, registrationToken!, body), printStatus, url, signal);
  if (!registered) return undefined;
  state.save({ url, token: registered.token });
  const message = `Registered as ${registered.workerId}`;
  printStatus({ event: "worker", state: "registered", message });
  return registered.token;
}
