import type { Random } from "../random.ts";
import { prices } from "./automations.ts";
import type { Calendar } from "./calendar.ts";
import type { PlannedAutomation, PlannedRun } from "./types.ts";

export interface PlannedTelemetry {
  at: number;
  signal: "span" | "log" | "metric";
  type: string;
  source: "gen_ai" | "claude_code";
  member: string;
  worker: string | null;
  /** The index of the run. */
  run: number | null;
  automation: string | null;
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cacheReadTokens: number | null;
  costMicros: number | null;
  pricing: "reported" | "estimated" | "unpriced" | "none";
  durationMs: number | null;
  failed: boolean;
  value: number | null;
  toolName: string | null;
  agentName: string | null;
  conversationId: string | null;
}

const nothing: Omit<PlannedTelemetry, "at" | "signal" | "type" | "source" | "member"> = {
  ...{ worker: null, run: null, automation: null, model: null, inputTokens: null, outputTokens: null },
  ...{ cacheReadTokens: null, costMicros: null, pricing: "none", durationMs: null, failed: false },
  ...{ value: null, toolName: null, agentName: null, conversationId: null },
};

/** What runs and the coding sessions of people report, in no particular order. */
export function planTelemetry(
  random: Random,
  calendar: Calendar,
  automations: readonly PlannedAutomation[],
  runs: readonly PlannedRun[],
): PlannedTelemetry[] {
  const names = new Map(automations.map(({ key, revisions }) => [key, revisions.at(-1)!.name]));
  return [
    ...runs.flatMap((run, index) => listRunTelemetry(random, run, index, names.get(run.automation)!)),
    ...planSessions(random.derive("sessions"), calendar),
  ];
}

function listRunTelemetry(random: Random, run: PlannedRun, index: number, agentName: string) {
  const { owner, automation, completion, attempts } = run;
  return attempts.flatMap(({ runner, usage, events }): PlannedTelemetry[] => {
    const about: Omit<PlannedTelemetry, "at" | "type"> = {
      ...{ ...nothing, source: "gen_ai", signal: "span", member: owner, worker: runner, run: index },
      ...{ automation, agentName, conversationId: completion?.sessionId ?? null },
    };
    return [
      ...usage.map(({ at, model, inputTokens, outputTokens, costMicros }) => ({
        ...{ ...about, at, type: "model_call", model, inputTokens, outputTokens, costMicros },
        ...{ pricing: "reported" as const, durationMs: 900 + Math.round(outputTokens * 1.4) },
      })),
      // Every third call, so that the demo stays small.
      ...events
        .filter(({ type }, place) => type === "capability_execution" && place % 3 === 0)
        .map(({ at, payload }) => ({
          ...{ ...about, at, type: "tool_call", toolName: String(payload.name) },
          durationMs: random.int(40, 2_600),
          failed: /^[45]\d\d |failed$/.test(String(payload.result)),
        })),
    ];
  });
}

/** The share of working days on which each person uses a coding agent, and the model that it uses. */
const coders = [
  { member: "felix", share: 0.9, model: "globex-code-2" },
  { member: "chiara", share: 0.8, model: "acme-large-3" },
  { member: "dev", share: 0.6, model: "acme-large-3" },
  { member: "elif", share: 0.5, model: "initech-mini" },
  { member: "bruno", share: 0.35, model: "acme-small-3" },
] as const;
const codingTools = ["Read", "Edit", "Bash", "Grep", "Write", "WebFetch"];

function planSessions(random: Random, { at, now, nextMorning }: Calendar): PlannedTelemetry[] {
  const found: PlannedTelemetry[] = [];
  let day = 0;
  for (let morning = at(1, "09:00"); morning < now; morning = nextMorning(morning)) {
    day++;
    for (const { member, share, model } of coders) {
      // People use it more from week to week.
      if (!random.chance(Math.min(0.95, share * (0.55 + day / 35)))) continue;
      const about: Omit<PlannedTelemetry, "at" | "signal" | "type"> = {
        ...{ ...nothing, source: "claude_code", member, agentName: "coding", conversationId: random.hex(16) },
      };
      const start = morning + random.int(0, 6 * 3600_000);
      const pick = () => start + random.int(0, 2 * 3600_000);
      for (let calls = random.int(1, 3); calls > 0; calls--)
        found.push({ ...about, at: pick(), ...planModelCall(random, model) });
      for (let calls = random.int(1, 3); calls > 0; calls--) {
        const toolName = random.pick(codingTools);
        const failed = toolName === "Bash" && random.chance(0.2);
        const durationMs = toolName === "Bash" ? random.int(300, 48_000) : random.int(8, 900);
        found.push({ ...about, at: pick(), signal: "log", type: "tool_call", toolName, durationMs, failed });
      }
      found.push({
        ...{ ...about, at: pick(), signal: "metric", type: "claude_code.lines_of_code.count" },
        value: random.int(12, 420),
      });
    }
  }
  return found.filter((event) => event.at <= now);
}

function planModelCall(random: Random, model: string) {
  const cacheReadTokens = random.int(20_000, 160_000);
  const inputTokens = cacheReadTokens + random.int(1_500, 22_000);
  const outputTokens = random.int(400, 6_500);
  const price = prices[model];
  const usage = { model, inputTokens, outputTokens, cacheReadTokens, durationMs: 700 + outputTokens * 12 };
  return {
    ...{ ...usage, signal: "log" as const, type: "model_call", failed: random.chance(0.03) },
    costMicros: price ? Math.round(inputTokens * price.input * 0.3 + outputTokens * price.output) : null,
    pricing: price ? ("estimated" as const) : ("unpriced" as const),
  };
}
