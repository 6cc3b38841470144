import { EgressError, type EgressStream } from "../../../platform/egress/index.ts";
import { readJson, readJsonPrefix } from "./json.ts";
import { type RpcMessage, readRpc } from "./rpc.ts";
import { createSseReader } from "./sse.ts";

/** How long an answer that looks complete is given to end, or one under a foreign id to be corrected. */
const PATIENCE_MS = 1000;

export interface BodyRead {
  message?: RpcMessage;
  /** The reply was larger than allowed, and `message` holds its beginning. */
  truncated: boolean;
  /** What came instead of an answer, in words; set when there is no message. */
  instead: string;
  /** The fault that ended the reading, when one did. */
  fault?: unknown;
}

/** Reads the answer to the request `id` out of a reply, whether JSON or an event stream, and stops there. */
export async function readAnswer(stream: EgressStream, id: number, maxBytes: number): Promise<BodyRead> {
  const type = (stream.headers["content-type"]?.[0] ?? "").toLowerCase();
  try {
    const chunks = pull(stream, maxBytes);
    const first = await chunks();
    const again = prepend(first, chunks);
    // No event begins with a brace: a document that does is JSON under the wrong type.
    if (type.includes("text/event-stream") && !beginsLikeJson(first)) return await readEvents(again, id);
    return await readDocument(again, id, type);
  } finally {
    stream.close();
  }
}

async function readEvents(chunks: Pull, id: number): Promise<BodyRead> {
  const reader = createSseReader();
  let foreign: RpcMessage | undefined;
  let instead = "an event stream without an answer";
  for (;;) {
    const chunk = await chunks(foreign ? PATIENCE_MS : undefined);
    const events =
      chunk.kind === "bytes" ? reader.push(chunk.bytes) : chunk.kind === "end" ? reader.end() : [];
    for (const { data } of events) {
      if (data.trim() === "") continue;
      const json = readJson(data);
      const read = json.ok ? readRpc(json.value, id) : undefined;
      if (read?.kind === "message" && read.message.exactId) return answer(read.message);
      if (read?.kind === "message") foreign ??= read.message;
      else if (read && !isNotification(json)) instead = read.why;
    }
    if (chunk.kind === "bytes") continue;
    if (foreign) return answer(foreign);
    const fault = chunk.kind === "fault" ? chunk.fault : undefined;
    return salvage(reader.pending(), id, fault) ?? { truncated: false, instead, fault };
  }
}

async function readDocument(chunks: Pull, id: number, type: string): Promise<BodyRead> {
  const decoder = new TextDecoder("utf-8");
  const parts: string[] = [];
  for (;;) {
    const chunk = await chunks(parts.length > 0 ? PATIENCE_MS : undefined);
    if (chunk.kind === "bytes") parts.push(decoder.decode(chunk.bytes, { stream: true }));
    const begins = parts.length === 1 ? (parts[0] as string).trimStart() : "";
    if (begins.startsWith("<")) return { truncated: false, instead: `a web page (${describeType(type)})` };
    if (chunk.kind === "bytes") continue;
    const text = parts.join("");
    const read = readText(text, id, type);
    // Some servers send a whole document and leave the connection open: what is complete needs no end.
    if (chunk.kind === "idle" && !read.message) continue;
    if (read.message || chunk.kind !== "fault") return read;
    return salvage(text, id, chunk.fault) ?? { ...read, fault: chunk.fault };
  }
}

function readText(text: string, id: number, type: string): BodyRead {
  const json = readJson(text);
  if (json.ok) {
    const read = readRpc(json.value, id);
    return read.kind === "message" ? answer(read.message) : { truncated: false, instead: read.why };
  }
  if (json.why === "empty") return { truncated: false, instead: "an empty body" };
  if (json.why === "too_deep")
    return { truncated: false, instead: "JSON nested deeper than any message needs" };
  // An event stream under another content type is still recognisable by its fields.
  if (/^\uFEFF?(?::|data:|event:|id:|retry:)/.test(text)) {
    const reader = createSseReader();
    const events = [...reader.push(Buffer.from(text)), ...reader.end()];
    for (const { data } of events) {
      const inner = readJson(data);
      const read = inner.ok ? readRpc(inner.value, id) : undefined;
      if (read?.kind === "message") return answer(read.message);
    }
  }
  return { truncated: false, instead: `something that is not JSON (${describeType(type)})` };
}

function salvage(text: string, id: number, fault: unknown): BodyRead | undefined {
  if (!(fault instanceof EgressError) || fault.kind !== "too_large") return undefined;
  const json = readJsonPrefix(text);
  const read = json.ok ? readRpc(json.value, id) : undefined;
  // The id may stand behind the part that was cut off, so the version alone has to do.
  if (read?.kind !== "message") return undefined;
  return { message: read.message, truncated: true, instead: "", fault };
}

function answer(message: RpcMessage): BodyRead {
  return { message, truncated: false, instead: "" };
}

function isNotification(json: ReturnType<typeof readJson>): boolean {
  return json.ok && typeof (json.value as { method?: unknown } | null)?.method === "string";
}

/** Names a content type without repeating more than its type: the rest is the server's free text. */
export function describeType(type: string): string {
  return /^[a-z0-9.+-]{1,40}\/[a-z0-9.+-]{1,60}/.exec(type.trim())?.[0] ?? "no content type";
}

function beginsLikeJson(chunk: Chunk): boolean {
  return (
    chunk.kind === "bytes" && /^\s*[{[]/.test(Buffer.from(chunk.bytes.subarray(0, 64)).toString("latin1"))
  );
}

function prepend(first: Chunk, rest: Pull): Pull {
  let next: Chunk | undefined = first;
  return async (patienceMs) => {
    const chunk = next ?? (await rest(patienceMs));
    next = undefined;
    return chunk;
  };
}

const DRAIN_BYTES = 16 * 1024;
const DRAIN_MS = 10;

/**
 * Takes in a body that nobody reads, if it is short and already here: the connection can then be used again,
 * which saves the next request a TLS handshake. Anything else is dropped with its connection.
 */
export async function drain(stream: EgressStream): Promise<void> {
  const chunks = pull(stream, DRAIN_BYTES);
  const until = performance.now() + DRAIN_MS;
  for (;;) {
    const chunk = await chunks(Math.max(0, until - performance.now()));
    if (chunk.kind === "end") return;
    if (chunk.kind !== "bytes") return stream.close();
  }
}

type Chunk =
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "end" }
  | { kind: "idle" }
  | { kind: "fault"; fault: unknown };

type Pull = (patienceMs?: number) => Promise<Chunk>;

/** Takes a stream chunk by chunk, up to a number of bytes, with a limit on how long the next chunk is waited for. */
export function pull(stream: EgressStream, maxBytes: number): Pull {
  const iterator = stream.chunks[Symbol.asyncIterator]();
  let bytes = 0;
  let waiting: Promise<Chunk> | undefined;
  return async (patienceMs) => {
    waiting ??= iterator.next().then(
      ({ done, value }): Chunk => (done ? { kind: "end" } : { kind: "bytes", bytes: value as Uint8Array }),
      (fault: unknown): Chunk => ({ kind: "fault", fault }),
    );
    if (patienceMs === undefined) return settle(await waiting);
    let timer: NodeJS.Timeout | undefined;
    const idle = new Promise<Chunk>((resolve) => {
      timer = setTimeout(() => resolve({ kind: "idle" }), patienceMs);
    });
    const chunk = await Promise.race([waiting, idle]);
    clearTimeout(timer);
    return chunk.kind === "idle" ? chunk : settle(chunk);
  };

  function settle(chunk: Chunk): Chunk {
    waiting = undefined;
    if (chunk.kind !== "bytes") return chunk;
    const left = maxBytes - bytes;
    bytes += chunk.bytes.length;
    if (chunk.bytes.length <= left) return chunk;
    // What still fits is handed over; the next chunk is the fault.
    const fault = new EgressError(
      "too_large",
      `The reply is larger than the ${maxBytes} bytes that are read.`,
    );
    waiting = Promise.resolve({ kind: "fault", fault });
    return { kind: "bytes", bytes: chunk.bytes.subarray(0, left) };
  }
}
