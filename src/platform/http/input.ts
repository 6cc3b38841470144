import type { Readable } from "node:stream";
import { z } from "zod";
import { type Detail, invalidRequest, Refusal, tooLarge } from "../errors.ts";
import type { HttpHeaders, HttpRequest } from "./request.ts";

export const defaultBodyDeadlineMs = 20_000;
const smallBody = 64 * 1024;
const largeBody = 256 * 1024;

/**
 * The body's bytes as they came. Counted while they arrive, so that a large one is refused without being
 * held, and with a deadline over the whole, so that a slow one cannot keep its place.
 */
export async function readBytes(
  { headers, incoming, outgoing }: HttpRequest,
  limit: number,
  deadlineMs: number,
): Promise<Buffer> {
  const announced = Number(headers["content-length"] ?? 0);
  // The connection stays open: many clients only listen once they have said everything, and closing it
  // under them would take the refusal along. The server reads on for a moment and forgets what it reads.
  const refusal = () => tooLarge(`The body is larger than ${limit} bytes.`);
  if (announced > limit) throw refusal();
  if (headers.expect !== undefined) outgoing.writeContinue();
  // A small body has usually come along with its headers. The stream hands it over a moment later, and
  // waiting for the stream's end as for any other would cost more than all the rest.
  if (announced > 0 && announced <= smallBody) {
    await undefined;
    const whole = incoming.readableLength === announced ? incoming.read() : null;
    if (whole !== null) return whole as Buffer;
  }
  return collect(incoming, announced, limit, refusal, deadlineMs);
}

/** By listeners and not by iterating: for a small body the iterator costs more than everything else here. */
function collect(
  source: Readable,
  announced: number,
  limit: number,
  refusal: () => Refusal,
  deadlineMs: number,
) {
  return new Promise<Buffer>((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    // A large body has its place from the beginning: pieces put together at the end would be there twice.
    const place = announced > largeBody ? Buffer.allocUnsafeSlow(announced) : undefined;
    let size = 0;
    const timer = setTimeout(() => stop(tooSlow(deadlineMs)), deadlineMs);
    const onData = (chunk: Uint8Array) => {
      size += chunk.length;
      if (size > limit) return stop(refusal());
      if (place) place.set(chunk, size - chunk.length);
      else chunks.push(chunk);
    };
    const onEnd = () => {
      leave();
      if (place) resolve(place.subarray(0, size));
      else resolve(chunks.length === 1 ? asBuffer(chunks[0]!) : Buffer.concat(chunks, size));
    };
    // Nobody is left to read this; it is for the log, which should not take it for a fault of ours.
    const onCut = () => stop(invalidRequest([{ message: "The body was cut off." }]));
    const leave = () => {
      clearTimeout(timer);
      source.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
    };
    const stop = (why: Refusal) => {
      leave();
      source.pause();
      // Whatever still happens to it is nobody's business here, and must not end the process.
      source.on("error", () => {});
      reject(why);
    };
    if (source.destroyed) return onCut();
    source.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut);
  });
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array) => Buffer.from(buffer, byteOffset, length);

const tooSlow = (deadlineMs: number) =>
  new Refusal(
    408,
    { error: "request_timeout", message: `The body did not arrive within ${deadlineMs / 1000} s.` },
    { connection: "close" },
  );

const isJson = (contentType: string) => /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType);

export function parseJson(bytes: Buffer, headers: HttpHeaders): unknown {
  const contentType = headers["content-type"] ?? "";
  if (headers["content-encoding"] !== undefined) {
    throw invalidRequest([{ message: "Send the body without a content-encoding." }]);
  }
  if (bytes.length === 0) throw invalidRequest([{ message: "A JSON body is required." }]);
  if (!isJson(contentType)) {
    throw invalidRequest([
      {
        message: `The content type must be application/json, not ${contentType ? `"${contentType.slice(0, 100)}"` : "absent"}.`,
      },
    ]);
  }
  let value: unknown;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw invalidRequest([{ message: "The body is not valid JSON in UTF-8." }]);
  }
  if (isDeeperThan(maxDepth, value)) {
    throw invalidRequest([{ message: `The body is nested more than ${maxDepth} deep.` }]);
  }
  // PostgreSQL keeps neither, and a 500 would be the wrong way to say so.
  if (/\\u0000|\\ud[89a-f]/i.test(text)) refuseUnstorable(value, []);
  return value;
}

/** Far more than anybody means, and less than what walks a value by calling itself can bear. */
const maxDepth = 100;

function isDeeperThan(levels: number, value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => isDeeperThan(levels - 1, item));
}

function refuseUnstorable(value: unknown, path: (string | number)[]): void {
  if (typeof value === "string") {
    if (value.includes("\0") || !value.isWellFormed()) {
      throw invalidRequest([{ message: "Text must be valid Unicode without NUL.", path }]);
    }
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) refuseUnstorable(item, [...path, i]);
  } else if (value && typeof value === "object") {
    for (const [key, item] of Object.entries(value)) {
      refuseUnstorable(key, path);
      refuseUnstorable(item, [...path, key]);
    }
  }
}

const noQuery = z.strictObject({});

export function parseQuery(search: string, schema: z.ZodType = noQuery): unknown {
  // Without a prototype, so that `__proto__` is a name like any other and refused like any other.
  const given: Record<string, string> = Object.create(null);
  const details: Detail[] = [];
  for (const [name, value] of new URLSearchParams(search)) {
    if (Object.hasOwn(given, name)) details.push({ message: "Given more than once.", path: [name] });
    if (value.includes("\0")) details.push({ message: "Text must not contain NUL.", path: [name] });
    given[name] = value;
  }
  if (details.length) throw invalidRequest(details);
  return check(schema, given);
}

/** The schema's output, or a 400 that lists what is wrong. */
export function check(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidRequest(parsed.error.issues.flatMap(detailsOf).slice(0, 50));
}

function detailsOf(issue: z.core.$ZodIssue): Detail[] {
  const path = issue.path as (string | number)[];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ message: "This field is not known here.", path: [...path, key] }));
  }
  return [{ message: issue.message, path }];
}
