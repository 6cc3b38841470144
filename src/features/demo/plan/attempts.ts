import type { Random } from "../random.ts";
import { prices } from "./automations.ts";
import type { PlannedAttempt, PlannedEvent, PlannedUsage, Revision } from "./types.ts";
import { createWarning, type Failure, type WorkProfile } from "./work.ts";

type UsageAmount = Omit<PlannedUsage, "report" | "at">;

export interface AttemptPlan {
  attempt: PlannedAttempt;
  /** The summary of the complete work. */
  summary: string;
  /** The usage that the completion reports, beyond the usage in the events. */
  rest: UsageAmount;
}

export const pickDuration = (random: Random, [from, to]: [number, number]): number =>
  random.int(from * 60_000, to * 60_000);

function toUsage(modelId: string, inputTokens: number, outputTokens: number): UsageAmount {
  const { input, output } = prices[modelId]!;
  return {
    model: modelId,
    inputTokens,
    outputTokens,
    costMicros: inputTokens * input + outputTokens * output,
  };
}

interface AttemptOptions {
  runner: string;
  startedAt: number;
  endedAt: number;
  /** The fraction of the work that is done at the end. */
  progress: number;
  /** Why the attempt fails. Undefined when it does not. */
  failure?: Failure | undefined;
}

/** Plans the events and the usage of one attempt. */
export function planAttempt(
  random: Random,
  work: WorkProfile,
  revision: Revision,
  options: AttemptOptions,
): AttemptPlan {
  const { runner, startedAt, endedAt, progress, failure } = options;
  const { steps: all, summary } = work.perform(random, startedAt);
  const begun = all.slice(0, Math.max(1, Math.round(all.length * progress)));
  const steps = failure ? (failure.steps ?? [...begun, createWarning(failure.message)]) : begun;
  const tokens = {
    input: Math.round(random.int(...work.input) * progress),
    output: Math.round(random.int(...work.output) * progress),
  };
  const before = 1 - random.int(...work.atEnd) / 100;
  const early = toUsage(
    revision.model.modelId,
    Math.round(tokens.input * before),
    Math.round(tokens.output * before),
  );
  const { model: _, ...counters } = early;
  const middle = Math.ceil(steps.length / 2);
  const contents: Pick<PlannedEvent, "type" | "payload">[] = [
    { type: "user", payload: { text: revision.instructions } },
    ...steps.slice(0, middle),
    { type: "usage", payload: { model: early.model, ...counters } },
    ...steps.slice(middle),
  ];
  const pause = (endedAt - startedAt) / (contents.length + 1);
  const events = contents.map((one, sequence) => ({
    ...one,
    sequence,
    at: Math.floor(startedAt + 800 + sequence * pause + random.int(0, Math.floor(pause / 2))),
  }));
  const report = events.find(({ type }) => type === "usage")!;
  return {
    attempt: {
      ...{ runner, startedAt, endedAt, outcome: null, events },
      usage: [{ ...early, report: report.sequence, at: report.at }],
    },
    summary,
    rest: toUsage(early.model, tokens.input - early.inputTokens, tokens.output - early.outputTokens),
  };
}

/** Adds the terminal event of a completed attempt. */
export function addTerminalEvent(attempt: PlannedAttempt, payload: Record<string, unknown>): void {
  attempt.events.push({
    sequence: attempt.events.length,
    type: "terminal",
    at: attempt.endedAt! - 200,
    payload,
  });
}
