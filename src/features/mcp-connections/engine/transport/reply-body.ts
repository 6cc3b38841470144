import { EgressError, type EgressStream } from "../../../../platform/egress/index.ts";
import { describeContentType, type JsonRead, readJson, readJsonPrefix } from "../json.ts";
import { type Chunk, createChunkReader, type NextChunk, prependChunk } from "./chunks.ts";
import { type RpcMessage, readRpcMessage } from "./rpc-message.ts";
import { createSseReader } from "./sse.ts";

/** How long to wait for the end of an answer that looks complete, or for the right id after a wrong one. */
const completeWaitMs = 1000;

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
