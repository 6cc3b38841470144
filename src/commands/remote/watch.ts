import { type AutomationRun, type AutomationRunEvent, isEnded } from "@signalbox/client";
import { exit } from "../io.ts";
import { clean } from "../text.ts";
import { clockTime, cost, count, paintStatus, runTime } from "./format.ts";
import type { Session } from "./session.ts";

const maxTextLength = 4_000;

/** Prints the events of a run until it ends. The exit code tells whether it succeeded. */
export async function watch(session: Session, runId: string): Promise<number> {
  const { client, json, io, paint } = session;
  let status: AutomationRun["status"] | undefined;
  for await (const update of client.runs.watch(runId)) {
    if (json) {
      io.out(JSON.stringify(update));
    } else if (update.type === "event") {
      for (const line of eventLines(session, update.event)) io.out(line);
    } else if (update.type === "reconnecting") {
      io.err(`The connection was lost (${clean(update.reason)}). Connecting again.`);
    } else if (update.run.status !== status) {
      const { run } = update;
      io.out(`${paint.dim(clockTime(Date.now()))}  ${paintStatus(paint, run.status)}${paint.dim(why(run))}`);
    }
    if (update.type === "run") status = update.run.status;
  }
  return status === "succeeded" ? exit.ok : exit.failed;
}

function why(run: AutomationRun): string {
  const parts = [
    isEnded(run) ? runTime(run) && `after ${runTime(run)}` : run.attempt > 1 && `attempt ${run.attempt}`,
    run.reason,
    run.reasonDetail ?? run.error?.message,
  ].filter((part) => part);
  return parts.length > 0 ? `  ${clean(parts.join(", "))}` : "";
}

const marks = {
  user: "user",
  assistant: "assistant",
  capability_search: "search",
  capability_execution: "execute",
  usage: "usage",
  warning: "warning",
  terminal: "end",
} as const satisfies Record<AutomationRunEvent["type"], string>;

const markWidth = Math.max(...Object.values(marks).map((mark) => mark.length));

/** Formats an event as lines: time, type and the text of its payload. */
export function eventLines({ paint }: Pick<Session, "paint">, event: AutomationRunEvent): string[] {
  const mark = (marks[event.type] ?? clean(String(event.type))).padEnd(markWidth);
  const colour =
    event.type === "warning" ? paint.yellow : event.type === "terminal" ? paint.bold : paint.cyan;
  const head = `${paint.dim(clockTime(event.createdAt))}  ${colour(mark)}  `;
  const indent = " ".repeat(8 + 2 + markWidth + 2);
  return textOf(event)
    .split(/\r?\n/)
    .map((line, i) => `${i === 0 ? head : indent}${clean(line)}`.trimEnd());
}

function textOf({ type, payload }: AutomationRunEvent): string {
  const text = type === "usage" ? usageText(payload) : speechText(payload);
  const whole = text ?? JSON.stringify(payload);
  return whole.length > maxTextLength ? `${whole.slice(0, maxTextLength)}…` : whole;
}

function usageText(payload: AutomationRunEvent["payload"]): string | undefined {
  const { inputTokens, outputTokens, costMicros } = payload;
  const parts = [
    typeof inputTokens === "number" && `${count(inputTokens)} tokens in`,
    typeof outputTokens === "number" && `${count(outputTokens)} out`,
    typeof costMicros === "number" && `cost ${cost(costMicros)}`,
  ].filter((part) => part);
  return parts.length > 0 ? parts.join(", ") : undefined;
}

/** Payload fields that usually hold text. A payload without any of them is printed as JSON. */
const speech = ["text", "message", "summary", "resultSummary", "query"];

function speechText(payload: AutomationRunEvent["payload"]): string | undefined {
  const words = speech.map((name) => payload[name]).find((value) => typeof value === "string");
  const name = [payload.name, payload.tool, payload.capability].find((value) => typeof value === "string");
  const rest = Object.keys(payload).length;
  if (words !== undefined) return name === undefined ? String(words) : `${name}: ${words}`;
  if (name === undefined) return undefined;
  return rest === 1 ? String(name) : `${name} ${JSON.stringify(payload)}`;
}
