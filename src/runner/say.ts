import { printableLine } from "../platform/printable.ts";

/** What a runner tells whoever watches it. */
export type News =
  | { event: "ready"; runnerId: string; url: string; concurrency: number }
  | { event: "link_lost"; url: string; reason: string }
  | { event: "link_back"; url: string }
  | { event: "note"; message: string }
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

export type Say = (news: News) => void;

const complaints = new Set<News["event"]>(["link_lost", "run_lost", "run_left", "note"]);

export function sayer(outlet: { out(line: string): void; err(line: string): void }, json: boolean): Say {
  return (news) => {
    // A name or message from outside must not look like a line of the runner.
    if (json) outlet.out(printableLine(JSON.stringify({ at: Date.now(), ...news })));
    else if (complaints.has(news.event)) outlet.err(printableLine(inWords(news)));
    else outlet.out(printableLine(inWords(news)));
  };
}

function inWords(news: News): string {
  switch (news.event) {
    case "ready":
      return `Runner ${news.runnerId} waits for runs of ${news.url}`;
    case "link_lost":
      return `${news.url} does not answer (${news.reason}). Trying again until it does.`;
    case "link_back":
      return `${news.url} answers again.`;
    case "note":
      return news.message;
    case "run_started":
      return `${news.runId} began: ${news.automation}${again(news.attempt)}`;
    case "run_resumed":
      return `${news.runId} was cut off when this runner ended; telling the server.`;
    case "run_stopping":
      return `${news.runId} is being stopped: ${news.reason}.`;
    case "run_ended":
      return `${news.runId} ${news.status} after ${(news.ms / 1000).toFixed(1)} s with ${news.events} events${news.message ? `: ${news.message}` : ""}`;
    case "run_lost":
      return `${news.runId} is not ours any more (${news.code}): ${news.message} Its journal is kept for a week in ${news.journal}`;
    case "run_left":
      return `${news.runId}: the server has not heard all of it. The journal has the rest; the next start sends it.`;
    case "stopping":
      return news.running === 0
        ? "Stopping."
        : `Stopping: taking no more runs, waiting for ${news.running}. Once more ends at once.`;
    case "stopped":
      return "Stopped.";
  }
}

const again = (attempt: number) => (attempt > 1 ? ` (attempt ${attempt})` : "");
