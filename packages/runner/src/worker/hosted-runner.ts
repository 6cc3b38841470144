import { pause } from "@signalbox/client";
import { cleanText, truncateText } from "../payload.ts";
import { runRunner, type Settings } from "../runner.ts";
import { openState } from "../state.ts";
import type { PrintStatus } from "../status.ts";
import { createWaker } from "../waker.ts";

/** Pause before a runner that failed is started again. */
const restartMs = 30_000;

export interface HostedRunner {
  /** The runs that it has. */
  runIds(): readonly string[];
  /** Why it does not run. Undefined while it runs. */
  problem(): string | undefined;
  /** Looks for work at once. */
  wake(): void;
  /** Lets runs end within their time, and takes no more. Resolves when it has stopped. */
  stop(): Promise<void>;
}

interface HostedRunnerOptions {
  settings: Omit<Settings, "once" | "onRuns" | "waker">;
  stateFolder: string;
  printStatus: PrintStatus;
  /** Called when the runs or the problem have changed. */
  onChange(): void;
}

/** Runs a runner until it is stopped, and starts it again when it fails. */
export function hostRunner({
  settings,
  stateFolder,
  printStatus,
  onChange,
}: HostedRunnerOptions): HostedRunner {
  const stopping = new AbortController();
  const waker = createWaker();
  let runIds: readonly string[] = [];
  let problem: string | undefined;
  const setProblem = (next: string | undefined) => {
    if (problem === next) return;
    problem = next;
    onChange();
  };
  const onRuns = (next: readonly string[]) => {
    runIds = next;
    onChange();
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        const state = openState(stateFolder, settings.info.runnerId);
        try {
          setProblem(undefined);
          for (const message of state.warnings) printStatus({ event: "note", message });
          await runRunner({ ...settings, once: false, onRuns, waker }, state, printStatus, stopping.signal);
        } finally {
          state.close();
        }
      } catch (error) {
        const { message } = error as Error;
        printStatus({ event: "note", message: `The runner has stopped: ${message}` });
        setProblem(truncateText(cleanText(message), 500));
        await pause(restartMs, stopping.signal);
      }
    }
  };
  const done = run();
  return {
    runIds: () => runIds,
    problem: () => problem,
    wake: waker.wake,
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}
