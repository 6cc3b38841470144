import { type AutomationRun, type AutomationRunEvent, isEnded } from "@signalbox/client";
import { cleanText } from "@signalbox/command-line";
import { exit } from "../io.ts";
import { formatClockTime, formatCost, formatCount, formatRunTime, paintStatus } from "./format.ts";
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
      for (const line of formatEvent(session, update.event)) io.out(line);
    } else if (update.type === "reconnecting") {
      io.err(`The connection was lost (${cleanText(update.reason)}). Connecting again.`);
    } else if (update.run.status !== status) {
      const { run } = update;
      io.out(
        `${paint.dim(formatClockTime(Date.now()))}  ${paintStatus(paint, run.status)}${paint.dim(describeReason(run))}`,
      );
    }
    if (update.type === "run") status = update.run.status;
  }
  return status === "succeeded" ? exit.ok : exit.failed;
}

function describeReason(run: AutomationRun): string {
  const parts = [
    isEnded(run)
      ? formatRunTime(run) && `after ${formatRunTime(run)}`
      : run.attempt > 1 && `attempt ${run.attempt}`,
    run.reason,
    run.reasonDetail ?? run.error?.message,
  ].filter((part) => part);
  return parts.length > 0 ? `  ${cleanText(parts.join(", "))}` : "";
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
export function formatEvent({ paint }: Pick<Session, "paint">, event: AutomationRunEvent): string[] {
  const mark = (marks[event.type] ?? cleanText(String(event.type))).padEnd(markWidth);
  const colour =
    event.type === "warning" ? paint.yellow : event.type === "terminal" ? paint.bold : paint.cyan;
  const head = `${paint.dim(formatClockTime(event.createdAt))}  ${colour(mark)}  `;
  const indent = " ".repeat(8 + 2 + markWidth + 2);
  return formatPayload(event)
    .split(/\r?\n/)
    .map((line, i) => `${i === 0 ? head : indent}${cleanText(line)}`.trimEnd());
}

function formatPayload({ type, payload }: AutomationRunEvent): string {
  const text = type === "usage" ? formatUsage(payload) : formatTextFields(payload);
  const whole = text ?? JSON.stringify(payload);
  return whole.length > maxTextLength ? `${whole.slice(0, maxTextLength)}…` : whole;
}

function formatUsage(payload: AutomationRunEvent["payload"]): string | undefined {
  const { inputTokens, outputTokens, costMicros } = payload;
  const parts = [
    typeof inputTokens === "number" && `${formatCount(inputTokens)} tokens in`,
    typeof outputTokens === "number" && `${formatCount(outputTokens)} out`,
    typeof costMicros === "number" && `cost ${formatCost(costMicros)}`,
  ].filter((part) => part);
  return parts.length > 0 ? parts.join(", ") : undefined;
}

/** Payload fields that usually hold text. A payload without any of them is printed as JSON. */
const textFields = ["text", "message", "summary", "resultSummary", "query"];

function formatTextFields(payload: AutomationRunEvent["payload"]): string | undefined {
  const words = textFields.map((name) => payload[name]).find((value) => typeof value === "string");
  const name = [payload.name, payload.tool, payload.capability].find((value) => typeof value === "string");
  const rest = Object.keys(payload).length;
  if (words !== undefined) return name === undefined ? String(words) : `${name}: ${words}`;
  if (name === undefined) return undefined;
  return rest === 1 ? String(name) : `${name} ${JSON.stringify(payload)}`;
}
