/** Parses what a program prints. The format is described in the README. */
import type { AutomationRunEventReport } from "@signalbox/client";
import type { Line } from "./lines.ts";
import {
  cleanText,
  createTruncatedPayload,
  fitPayload,
  isObject,
  type Payload,
  truncateText,
} from "./payload.ts";
import { readUsage, type Usage } from "./usage.ts";

type EventType = NonNullable<AutomationRunEventReport["type"]>;

/** The types of events that a program can print. Only the runner creates `terminal` events. */
const programEventTypes = [
  "user",
  "assistant",
  "capability_search",
  "capability_execution",
  "usage",
  "warning",
] as const satisfies EventType[];

export interface Event {
  type: EventType;
  payload: Payload;
}

/** The result that a program printed for its run. */
export interface Result {
  summary: string | null;
  /** Of the whole run, including the usage events before. */
  usage: Usage | undefined;
  failed: boolean;
  error: { message: string | null; retryable: boolean | null } | null;
  sessionId: string | null;
  workspaceId: string | null;
}

/** `usage` and `pricedBy` decide the cost of a usage event. */
export type OutputLine =
  | { event: Event; usage?: Usage; pricedBy?: Payload; plain?: string }
  | { result: Result };

/** Parses a line of stdout. Undefined for an empty line. */
export function parseOutputLine(line: Line): OutputLine | undefined {
  if (line.bytes !== undefined)
    return { event: { type: "assistant", payload: createTruncatedPayload(line.text, line.bytes) } };
  if (line.text.trim() === "") return undefined;
  const object = parseObject(line.text);
  if (!object) {
    const payload = fitPayload({ text: line.text });
    return { event: { type: "assistant", payload }, plain: line.text };
  }
  const { type, payload, ...rest } = object;
  const body = isObject(payload) ? payload : rest;
  if (type === "result" || type === "terminal") return { result: readResult({ ...rest, ...body }) };
  if (type === "usage") {
    const usage = readUsage(body) ?? readUsage(body.usage);
    if (!usage) return { event: { type, payload: fitPayload(body) } };
    const pricedBy = readPricedBy(body);
    // A payload that was cut has these fields too.
    const payload = { ...fitPayload({ ...body, ...usage }), ...usage, ...pricedBy };
    return { event: { type, payload }, usage, pricedBy };
  }
  // An object of an unknown type is kept whole.
  return isProgramEventType(type)
    ? { event: { type, payload: fitPayload(body) } }
    : { event: { type: "assistant", payload: fitPayload(object) } };
}

/** The server reads names of up to 200 characters. Some characters have a length of 2. */
const maxNameLength = 400;

/** The names that decide the price of the counters. */
const readPricedBy = ({ provider, model }: Payload): Payload =>
  Object.fromEntries(
    Object.entries({ provider, model }).flatMap(([name, value]) =>
      typeof value === "string" && value.length <= maxNameLength ? [[name, cleanText(value)]] : [],
    ),
  );

export const maxErrorLineBytes = 8 * 1024;

/** Turns a line of stderr into a warning. Undefined for an empty line. */
export function parseErrorLine({ text, bytes }: Line): Event | undefined {
  if (text.trim() === "") return undefined;
  const clean = cleanText(text);
  return {
    type: "warning",
    payload: bytes === undefined ? { text: clean } : { text: clean, cut: true, bytes },
  };
}

const isProgramEventType = (type: unknown): type is (typeof programEventTypes)[number] =>
  (programEventTypes as readonly unknown[]).includes(type);

/** A line counts as JSON when it is an object with a `type`. */
function parseObject(text: string): (Payload & { type: string }) | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.type === "string" ? { ...value, type: value.type } : undefined;
  } catch {
    return undefined;
  }
}

function readResult(printed: Payload): Result {
  const summary = [printed.summary, printed.resultSummary, printed.result, printed.text].find(
    (one) => typeof one === "string",
  );
  const failed = printed.status === "failed" || printed.is_error === true || printed.isError === true;
  return {
    summary: summary === undefined ? null : toSummary(summary),
    usage: readTotalUsage(printed),
    failed: failed || isObject(printed.error) || (typeof printed.error === "string" && printed.error !== ""),
    error: readError(printed.error),
    sessionId: readName(printed.sessionId ?? printed.session_id),
    workspaceId: readName(printed.workspaceId ?? printed.workspace_id),
  };
}

/** Some programs print the cost beside the counters. */
function readTotalUsage(printed: Payload): Usage | undefined {
  return readUsage(isObject(printed.usage) ? { ...printed, ...printed.usage } : printed);
}

/** The server accepts 20,000 characters. */
export const toSummary = (text: string): string => truncateText(cleanText(text), 20_000);
export const toErrorMessage = (text: string): string => truncateText(cleanText(text), 2_000);

function readError(error: unknown): Result["error"] {
  if (typeof error === "string" && error !== "") return { message: toErrorMessage(error), retryable: null };
  if (!isObject(error)) return null;
  return {
    message: typeof error.message === "string" ? toErrorMessage(error.message) : null,
    retryable: typeof error.retryable === "boolean" ? error.retryable : null,
  };
}

const readName = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? truncateText(cleanText(value), 240) : null;
