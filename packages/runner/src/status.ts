import { printableLine } from "@signalbox/command-line";

/** What a runner prints about itself, as text or as JSON. */
export type StatusMessage =
  | { event: "ready"; runnerId: string; url: string; concurrency: number }
  | { event: "link_lost"; url: string; reason: string }
  | { event: "link_back"; url: string }
  | { event: "note"; message: string }
  | { event: "worker"; state: WorkerPhase; message: string }
  | { event: "run_started"; runId: string; attempt: number; automation: string }
  | { event: "run_resumed"; runId: string; attempt: number; automation: string }
  | { event: "run_stopping"; runId: string; reason: string }
  | {
      event: "run_ended";
      runId: string;
      attempt: number;
      status: string;
      events: number;
      ms: number;
      message?: string;
    }
  | { event: "run_lost"; runId: string; attempt: number; code: string; message: string; journal: string }
  | { event: "run_left"; runId: string; attempt: number; events: number }
  | { event: "stopping"; running: number }
  | { event: "stopped" };

export type WorkerPhase =
  | "registered"
  | "ready"
  | "paused"
  | "resumed"
  | "draining"
  | "upgrading"
  | "stopped";

export type PrintStatus = (message: StatusMessage) => void;

/** Printed to stderr. */
const problems = new Set<StatusMessage["event"]>(["link_lost", "run_lost", "run_left", "note"]);

export function createStatusPrinter(
  output: { out(line: string): void; err(line: string): void },
  json: boolean,
): PrintStatus {
  return (message) => {
    // A name or message from outside must not look like a line of the runner.
    if (json) output.out(printableLine(JSON.stringify({ at: Date.now(), ...message })));
    else if (problems.has(message.event)) output.err(printableLine(describeStatus(message)));
    else output.out(printableLine(describeStatus(message)));
  };
}

function describeStatus(status: StatusMessage): string {
  switch (status.event) {
    case "ready":
      return `Runner ${status.runnerId} waits for runs of ${status.url}`;
    case "link_lost":
      return `${status.url} does not answer (${status.reason}). Trying again until it does.`;
    case "link_back":
      return `${status.url} answers again.`;
    case "note":
    case "worker":
      return status.message;
    case "run_started":
      return `${status.runId} began: ${status.automation}${describeAttempt(status.attempt)}`;
    case "run_resumed":
      return `${status.runId} was cut off when this runner ended; telling the server.`;
    case "run_stopping":
      return `${status.runId} is being stopped: ${status.reason}.`;
    case "run_ended":
      return `${status.runId} ${status.status} after ${(status.ms / 1000).toFixed(1)} s with ${status.events} events${status.message ? `: ${status.message}` : ""}`;
    case "run_lost":
      return `${status.runId} is not ours any more (${status.code}): ${status.message} Its journal is kept for a week in ${status.journal}`;
    case "run_left":
      return `${status.runId}: the server has not heard all of it. The journal has the rest; the next start sends it.`;
    case "stopping":
      return status.running === 0
        ? "Stopping."
        : `Stopping: taking no more runs, waiting for ${status.running}. Once more ends at once.`;
    case "stopped":
      return "Stopped.";
  }
}

const describeAttempt = (attempt: number) => (attempt > 1 ? ` (attempt ${attempt})` : "");
