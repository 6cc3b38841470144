import { EgressError, type EgressStream } from "../../egress/index.ts";
import {
  describeContentType,
  isObject,
  type JsonObject,
  type JsonRead,
  readJson,
  readJsonPrefix,
} from "../json.ts";
import { createSseReader } from "./sse.ts";

/** How long to wait for the end of an answer that looks complete, or for the right id after a wrong one. */
const completeWaitMs = 1000;
/** A body that is not needed is read up to here, see `discardShortBody`. */
const maxDiscardBytes = 16 * 1024;
const maxDiscardMs = 10;

type RpcMessage =
  | { kind: "result"; result: JsonObject; exactId: boolean }
  | { kind: "error"; code: number; message: string; data: unknown; exactId: boolean };

type RpcMessageRead = { kind: "message"; message: RpcMessage } | { kind: "other"; why: string };

export interface BodyRead {
  message?: RpcMessage;
  /** True when the reply was larger than allowed, and `message` is its beginning. */
  truncated: boolean;
  /** Describes the content of a reply without a message. */
  received: string;
  /** The error that ended the reading, if one did. */
  fault?: unknown;
}

/** Reads the answer to the request `id` from a JSON document or an event stream, and stops there. */
export async function readAnswer(stream: EgressStream, id: number, maxBytes: number): Promise<BodyRead> {
  const type = (stream.headers["content-type"]?.[0] ?? "").toLowerCase();
  try {
    const nextChunk = createChunkReader(stream, maxBytes);
    const first = await nextChunk();
    const fromStart = prependChunk(first, nextChunk);
    // No event starts with a brace, so such a body is JSON with the wrong content type.
    if (type.includes("text/event-stream") && !startsLikeJson(first)) return await readEvents(fromStart, id);
    return await readDocument(fromStart, id, type);
  } finally {
    stream.close();
  }
}

async function readEvents(nextChunk: NextChunk, id: number): Promise<BodyRead> {
  const reader = createSseReader();
  let otherId: RpcMessage | undefined;
  let received = "an event stream without an answer";
  for (;;) {
    const chunk = await nextChunk(otherId ? completeWaitMs : undefined);
    const events =
      chunk.kind === "bytes" ? reader.push(chunk.bytes) : chunk.kind === "end" ? reader.end() : [];
    for (const { data } of events) {
      if (data.trim() === "") continue;
      const json = readJson(data);
      const read = json.ok ? readRpcMessage(json.value, id) : undefined;
      if (read?.kind === "message" && read.message.exactId) return completeRead(read.message);
      if (read?.kind === "message") otherId ??= read.message;
      else if (read && !isNotification(json)) received = read.why;
    }
    if (chunk.kind === "bytes") continue;
    if (otherId) return completeRead(otherId);
    if (chunk.kind !== "fault") return { truncated: false, received };
    const cutOff = reader.end().at(-1)?.data ?? "";
    return readCutOff(cutOff, id, chunk.fault) ?? { truncated: false, received, fault: chunk.fault };
  }
}

async function readDocument(nextChunk: NextChunk, id: number, type: string): Promise<BodyRead> {
  const decoder = new TextDecoder("utf-8");
  const parts: string[] = [];
  for (;;) {
    const chunk = await nextChunk(parts.length > 0 ? completeWaitMs : undefined);
    if (chunk.kind === "bytes") parts.push(decoder.decode(chunk.bytes, { stream: true }));
    const start = parts.length === 1 ? (parts[0] as string).trimStart() : "";
    if (start.startsWith("<"))
      return { truncated: false, received: `a web page (${describeContentType(type)})` };
    if (chunk.kind === "bytes") continue;
    const text = parts.join("");
    const read = readText(text, id, type);
    // Some servers send a whole document and leave the connection open. A complete document needs no end.
    if (chunk.kind === "idle" && !read.message) continue;
    if (read.message || chunk.kind !== "fault") return read;
    return readCutOff(text, id, chunk.fault) ?? { ...read, fault: chunk.fault };
  }
}

function readText(text: string, id: number, type: string): BodyRead {
  const json = readJson(text);
  if (json.ok) {
    const read = readRpcMessage(json.value, id);
    return read.kind === "message" ? completeRead(read.message) : { truncated: false, received: read.why };
  }
  if (json.why === "empty") return { truncated: false, received: "an empty body" };
  if (json.why === "too_deep")
    return { truncated: false, received: "JSON nested deeper than any message needs" };
  // The fields of an event stream are recognizable under any content type.
  if (/^\uFEFF?(?::|data:|event:|id:|retry:)/.test(text)) {
    const reader = createSseReader();
    for (const { data } of [...reader.push(Buffer.from(text)), ...reader.end()]) {
      const inner = readJson(data);
      const read = inner.ok ? readRpcMessage(inner.value, id) : undefined;
      if (read?.kind === "message") return completeRead(read.message);
    }
  }
  return { truncated: false, received: `something that is not JSON (${describeContentType(type)})` };
}

/** Reads the beginning of an answer that was larger than allowed. */
function readCutOff(text: string, id: number, fault: unknown): BodyRead | undefined {
  if (!(fault instanceof EgressError) || fault.kind !== "too_large") return undefined;
  const json = readJsonPrefix(text);
  // The id may be in the part that is missing, so an answer without it is accepted.
  const read = json.ok ? readRpcMessage(json.value, id) : undefined;
  if (read?.kind !== "message") return undefined;
  return { message: read.message, truncated: true, received: "", fault };
}

function completeRead(message: RpcMessage): BodyRead {
  return { message, truncated: false, received: "" };
}

function isNotification(json: JsonRead): boolean {
  return json.ok && typeof (json.value as { method?: unknown } | null)?.method === "string";
}

function startsLikeJson(chunk: Chunk): boolean {
  return (
    chunk.kind === "bytes" && /^\s*[{[]/.test(Buffer.from(chunk.bytes.subarray(0, 64)).toString("latin1"))
  );
}

/**
 * Finds the answer to one request. A POST carries one request, so a single answer is accepted even under another id
 * or in a list. Several answers are ambiguous and are refused.
 */
export function readRpcMessage(value: unknown, id: number): RpcMessageRead {
  const answers = (Array.isArray(value) ? value.slice(0, 1000) : [value]).map((item) => readItem(item, id));
  const messages = answers.filter((answer) => answer.kind === "message");
  const exact = messages.filter(({ message }) => message.exactId);
  const [only, ...others] = exact.length > 0 ? exact : messages;
  if (only && others.length === 0) return only;
  if (only) return { kind: "other", why: "several JSON-RPC answers to one request" };
  return answers[0] ?? { kind: "other", why: "an empty JSON-RPC batch" };
}

function readItem(value: unknown, id: number): RpcMessageRead {
  if (!isObject(value)) return { kind: "other", why: "JSON that is not a JSON-RPC message" };
  if (typeof value.method === "string")
    return { kind: "other", why: "a JSON-RPC request instead of an answer" };
  // JSON-RPC 1.0 sends the unused member as null.
  const hasResult = value.result !== undefined && value.result !== null;
  const hasError = value.error !== undefined && value.error !== null;
  if (hasResult && hasError)
    return { kind: "other", why: "a JSON-RPC answer with both a result and an error" };
  const exactId = value.id === id || value.id === String(id);
  // Many APIs answer {"error":{"code":404}}. Only the version or the id of the request makes it JSON-RPC.
  const isAnswer = value.jsonrpc !== undefined || exactId;
  if (isAnswer && hasError && isObject(value.error)) {
    const { code, message, data } = value.error;
    if (typeof code !== "number") return { kind: "other", why: "a JSON-RPC error without a code" };
    const text = typeof message === "string" ? message : "";
    return { kind: "message", message: { kind: "error", code, message: text, data, exactId } };
  }
  if (!hasResult || !isObject(value.result) || !isAnswer) {
    return { kind: "other", why: "JSON that is not a JSON-RPC answer" };
  }
  return { kind: "message", message: { kind: "result", result: value.result, exactId } };
}

type Chunk =
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "end" }
  /** No chunk came within the time that the caller was willing to wait. */
  | { kind: "idle" }
  | { kind: "fault"; fault: unknown };

/** Returns the next chunk, or `idle` after this time. Without a time it waits until the stream itself ends. */
type NextChunk = (maxWaitMs?: number) => Promise<Chunk>;

/** Reads a stream chunk by chunk, up to a number of bytes. The first chunk past the limit is followed by a fault. */
export function createChunkReader(stream: EgressStream, maxBytes: number): NextChunk {
  const iterator = stream.chunks[Symbol.asyncIterator]();
  let bytesRead = 0;
  let pending: Promise<Chunk> | undefined;

  return async (maxWaitMs) => {
    pending ??= iterator.next().then(
      ({ done, value }): Chunk => (done ? { kind: "end" } : { kind: "bytes", bytes: value as Uint8Array }),
      (fault: unknown): Chunk => ({ kind: "fault", fault }),
    );
    if (maxWaitMs === undefined) return take(await pending);
    let timer: NodeJS.Timeout | undefined;
    const idle = new Promise<Chunk>((resolve) => {
      timer = setTimeout(() => resolve({ kind: "idle" }), maxWaitMs);
    });
    const chunk = await Promise.race([pending, idle]);
    clearTimeout(timer);
    return chunk.kind === "idle" ? chunk : take(chunk);
  };

  function take(chunk: Chunk): Chunk {
    pending = undefined;
    if (chunk.kind !== "bytes") return chunk;
    const left = maxBytes - bytesRead;
    bytesRead += chunk.bytes.length;
    if (chunk.bytes.length <= left) return chunk;
    const fault = new EgressError(
      "too_large",
      `The reply is larger than the ${maxBytes} bytes that are read.`,
    );
    pending = Promise.resolve({ kind: "fault", fault });
    return { kind: "bytes", bytes: chunk.bytes.subarray(0, left) };
  }
}

/** Returns a reader that yields `first` before the remaining chunks. */
function prependChunk(first: Chunk, rest: NextChunk): NextChunk {
  let next: Chunk | undefined = first;
  return async (maxWaitMs) => {
    const chunk = next ?? (await rest(maxWaitMs));
    next = undefined;
    return chunk;
  };
}

/** Reads text until the stream ends, `maxBytes` are read or the time is over. The stream is then closed. */
export async function readTextWithin(
  stream: EgressStream,
  { maxBytes, maxMs }: { maxBytes: number; maxMs: number },
): Promise<string> {
  const decoder = new TextDecoder("utf-8");
  const nextChunk = createChunkReader(stream, maxBytes);
  const deadline = performance.now() + maxMs;
  let text = "";
  for (;;) {
    const chunk = await nextChunk(Math.max(0, deadline - performance.now()));
    if (chunk.kind === "bytes") text += decoder.decode(chunk.bytes, { stream: true });
    else {
      stream.close();
      return text.slice(0, maxBytes);
    }
  }
}

/**
 * Reads and discards a body that is short and has already arrived. Its connection can then be reused, which saves
 * the next request a TLS handshake. Any other body is dropped together with its connection.
 */
export async function discardShortBody(stream: EgressStream): Promise<void> {
  const nextChunk = createChunkReader(stream, maxDiscardBytes);
  const deadline = performance.now() + maxDiscardMs;
  for (;;) {
    const chunk = await nextChunk(Math.max(0, deadline - performance.now()));
    if (chunk.kind === "end") return;
    if (chunk.kind !== "bytes") return stream.close();
  }
}
