import type { Line } from "./lines.ts";
import { beginningOf, cleanText, cutText, fitPayload, isObject, type Payload } from "./payload.ts";
import { readUsage, type Usage } from "./usage.ts";

/** What a command may say; `terminal` is the runner's own word. */
const spoken = [
  "user",
  "assistant",
  "capability_search",
  "capability_execution",
  "usage",
  "warning",
] as const;
type Spoken = (typeof spoken)[number];
export type EventType = Spoken | "terminal";

export interface Event {
  type: EventType;
  payload: Payload;
}

/** How a command says that its run ended. */
export interface Result {
  summary: string | null;
  /** Of the whole run, including what usage lines said before. */
  usage: Usage | undefined;
  failed: boolean;
  error: { message: string | null; retryable: boolean | null } | null;
  sessionId: string | null;
  workspaceId: string | null;
}

export type Said = { event: Event; usage?: Usage; plain?: string } | { result: Result };

/** What a line on stdout means; undefined for an empty one. The format is told in docs/runner.md. */
export function understand(line: Line): Said | undefined {
  if (line.bytes !== undefined)
    return { event: { type: "assistant", payload: cutText(line.text, line.bytes) } };
  if (line.text.trim() === "") return undefined;
  const object = parse(line.text);
  if (!object) {
    const payload = fitPayload({ text: line.text });
    return { event: { type: "assistant", payload }, plain: line.text };
  }
  const { type, payload, ...rest } = object;
  const body = isObject(payload) ? payload : rest;
  if (type === "result" || type === "terminal") return { result: readResult({ ...rest, ...body }) };
  if (type === "usage") {
    const usage = readUsage(body) ?? readUsage(body.usage);
    return usage
      ? { event: { type, payload: fitPayload({ ...body, ...usage }) }, usage }
      : { event: { type, payload: fitPayload(body) } };
  }
  // A word that is not ours is kept whole, so that nothing of it is lost.
  return isSpoken(type)
    ? { event: { type, payload: fitPayload(body) } }
    : { event: { type: "assistant", payload: fitPayload(object) } };
}

/** A complaint on stderr is worth a look, not 256 KiB. */
export const maxComplaintBytes = 8 * 1024;

export function complaint({ text, bytes }: Line): Event | undefined {
  if (text.trim() === "") return undefined;
  const clean = cleanText(text);
  return {
    type: "warning",
    payload: bytes === undefined ? { text: clean } : { text: clean, cut: true, bytes },
  };
}

const isSpoken = (type: unknown): type is Spoken => (spoken as readonly unknown[]).includes(type);

/** A line is JSON to us when it is an object that says its type. */
function parse(text: string): (Payload & { type: string }) | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.type === "string" ? { ...value, type: value.type } : undefined;
  } catch {
    return undefined;
  }
}

function readResult(said: Payload): Result {
  const summary = [said.summary, said.resultSummary, said.result, said.text].find(
    (one) => typeof one === "string",
  );
  const failed = said.status === "failed" || said.is_error === true || said.isError === true;
  return {
    summary: summary === undefined ? null : summaryOf(summary),
    usage: totalOf(said),
    failed: failed || isObject(said.error) || (typeof said.error === "string" && said.error !== ""),
    error: readError(said.error),
    sessionId: name(said.sessionId ?? said.session_id),
    workspaceId: name(said.workspaceId ?? said.workspace_id),
  };
}

/** Some programs put the cost beside the counters. */
function totalOf(said: Payload): Usage | undefined {
  return readUsage(isObject(said.usage) ? { ...said, ...said.usage } : said);
}

/** The server takes 20,000 characters. */
export const summaryOf = (text: string): string => beginningOf(cleanText(text), 20_000);
export const messageOf = (text: string): string => beginningOf(cleanText(text), 2_000);

function readError(error: unknown): Result["error"] {
  if (typeof error === "string" && error !== "") return { message: messageOf(error), retryable: null };
  if (!isObject(error)) return null;
  return {
    message: typeof error.message === "string" ? messageOf(error.message) : null,
    retryable: typeof error.retryable === "boolean" ? error.retryable : null,
  };
}

const name = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? beginningOf(cleanText(value), 240) : null;
