/**
 * A model of a run without a database: the rules of reporting, written a second time and as short as
 * possible, to compare the service with.
 */
export interface Reported {
  sequence: number;
  type: "assistant" | "usage" | "terminal";
  /** Distinguishes contents. For a usage event it is also the cost. */
  content: number;
}

export type Operation =
  | { do: "claim"; who: string }
  | { do: "heartbeat"; who: string; attempt: number }
  | { do: "report"; who: string; attempt: number; events: Reported[] }
  | { do: "complete"; who: string; attempt: number; status: FinalStatus; content: number }
  | { do: "cancel" }
  | { do: "expire" }
  | { do: "sweep" };

type FinalStatus = "succeeded" | "failed" | "cancelled";

export interface Model {
  status: "queued" | "running" | FinalStatus;
  attempt: number;
  holder: string | null;
  live: boolean;
  cancelRequested: boolean;
  /** Ended by the service and not by a report. */
  fenced: boolean;
  completion: string | null;
  /** By attempt, in order. */
  events: Record<number, Reported[]>;
  late: string[];
  cost: number;
}

export const newRun: Model = {
  status: "queued",
  attempt: 0,
  holder: null,
  live: false,
  cancelRequested: false,
  fenced: false,
  completion: null,
  events: {},
  late: [],
  cost: 0,
};

/** The reply as text, as far as a caller can distinguish replies. */
export type Answer = string;

const isEnded = ({ status }: Model) => status !== "queued" && status !== "running";

function loseLease(run: Model): Model {
  if (run.cancelRequested) return { ...run, status: "cancelled", live: false, fenced: true };
  if (run.attempt === 2) return { ...run, status: "failed", live: false, fenced: true };
  return { ...run, status: "queued", holder: null, live: false };
}

const startAttempt = (run: Model, who: string): Model => ({
  ...run,
  status: "running",
  attempt: run.attempt + 1,
  holder: who,
  live: true,
});

const holdsLease = (run: Model, who: string, attempt: number) =>
  run.status === "running" && run.live && run.holder === who && run.attempt === attempt;

/** The attempt is over, belongs to another reporter, or has lost its lease. */
const isLost = (run: Model, attempt: number) =>
  isEnded(run) ? attempt < run.attempt || (run.fenced && attempt === run.attempt) : true;

/** A report of the next attempt claims the run when nobody holds it. */
function claimIfFree(run: Model, who: string, attempt: number): Model {
  const free = run.status === "queued" || (run.status === "running" && !run.live && run.attempt < 2);
  if (!free || attempt !== run.attempt + 1) return run;
  const now = run.status === "running" ? loseLease(run) : run;
  return now.status === "queued" ? startAttempt(now, who) : now;
}

export function perform(run: Model, operation: Operation): [Model, Answer] {
  switch (operation.do) {
    case "expire":
      return [{ ...run, live: false }, "ok"];
    case "sweep":
      return [run.status === "running" && !run.live ? loseLease(run) : run, "ok"];
    case "cancel":
      if (run.status === "queued") return [{ ...run, status: "cancelled", fenced: run.attempt > 0 }, "ok"];
      if (run.status === "running") {
        const asked = { ...run, cancelRequested: true };
        return [run.live ? asked : loseLease(asked), "ok"];
      }
      return [run, run.status === "cancelled" ? "ok" : "run_already_completed"];
    case "claim": {
      if (run.status === "running" && run.live)
        return [run, run.holder === operation.who ? `attempt ${run.attempt}` : "none"];
      const now = run.status === "running" ? loseLease(run) : run;
      if (now.status !== "queued") return [now, "none"];
      const begun = startAttempt(now, operation.who);
      return [begun, `attempt ${begun.attempt}`];
    }
    case "heartbeat":
      if (holdsLease(run, operation.who, operation.attempt))
        return [run, run.cancelRequested ? "stop" : "go on"];
      return [run, isLost(run, operation.attempt) ? "runner_lease_lost" : "run_already_completed"];
    case "complete":
      return complete(run, operation);
    case "report":
      return report(run, operation);
  }
}

function complete(before: Model, operation: Operation & { do: "complete" }): [Model, Answer] {
  const { who, attempt, status, content } = operation;
  const run = claimIfFree(before, who, attempt);
  const said = JSON.stringify({ attempt, status, content });
  if (holdsLease(run, who, attempt)) {
    return [{ ...run, status, live: false, completion: said, cost: run.cost + content }, `ended ${status}`];
  }
  if (isLost(run, attempt)) {
    const late = attempt <= run.attempt ? addLateReport(run, `completion ${who} ${said}`) : run;
    return [late, "runner_lease_lost"];
  }
  return [run, run.completion === said ? `ended ${status}` : "terminal_result_conflict"];
}

const addLateReport = (run: Model, report: string): Model =>
  run.late.includes(report) ? run : { ...run, late: [...run.late, report] };

function report(before: Model, operation: Operation & { do: "report" }): [Model, Answer] {
  const { who, attempt, events } = operation;
  const claimed = claimIfFree(before, who, attempt);
  const mine = holdsLease(claimed, who, attempt);
  // A refused report undoes its claim, but a lease that was found lost stays lost.
  const refused = mine ? before : claimed;
  let run = claimed;
  for (const event of events) {
    const stored = run.events[attempt] ?? [];
    const known = stored.find(({ sequence }) => sequence === event.sequence);
    if (known && JSON.stringify(known) === JSON.stringify(event)) continue;
    if (!mine && isLost(run, attempt)) {
      let late = refused;
      if (attempt <= refused.attempt) {
        for (const one of events.slice(events.indexOf(event)))
          late = addLateReport(late, `event ${who} ${attempt} ${JSON.stringify(one)}`);
      }
      return [late, "runner_lease_lost"];
    }
    if (known) return [refused, "event_conflict"];
    const last = stored.at(-1);
    if (!mine || last?.type === "terminal") return [refused, "run_already_completed"];
    const next = last ? last.sequence + 1 : 0;
    if (event.sequence !== next && (last || event.sequence !== 1)) return [refused, `expected ${next}`];
    run = {
      ...run,
      events: { ...run.events, [attempt]: [...stored, event] },
      cost: run.cost + (event.type === "usage" ? event.content : 0),
    };
  }
  return [run, "stored"];
}
