import type { HttpBindings } from "@hono/node-server";
import { z } from "zod";
import { type Detail, invalidRequest, Refusal, tooLarge } from "../errors.ts";

const bodyDeadlineMs = 20_000;
/** What was not read of a body would be taken for the next request. */
const closing = { connection: "close" };

/**
 * The body's bytes as they came. Counted while they arrive, so that a large one is refused without being
 * held, and with a deadline over the whole, so that a slow one cannot keep its place.
 */
export async function readBytes(
  request: Request,
  env: Partial<HttpBindings> | undefined,
  limit: number,
): Promise<Buffer> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  const message = `The body is larger than ${limit} bytes.`;
  if (announced > limit) throw tooLarge(message, closing);
  // Not destroyed when we stop early: the socket must still carry the refusal.
  const source: AsyncIterable<Uint8Array> | null =
    env?.incoming?.iterator({ destroyOnReturn: false }) ?? request.body;
  if (!source) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reading = (async () => {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > limit) throw tooLarge(message, closing);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, size);
  })();
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new Refusal(
          408,
          { error: "request_timeout", message: `The body did not arrive within ${bodyDeadlineMs / 1000} s.` },
          closing,
        ),
      );
    }, bodyDeadlineMs);
  });
  try {
    return await Promise.race([reading, deadline]);
  } finally {
    clearTimeout(timer);
    reading.catch(() => {});
  }
}

const isJson = (contentType: string) => /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType);

export function parseJson(bytes: Buffer, request: Request): unknown {
  const contentType = request.headers.get("content-type") ?? "";
  if (request.headers.has("content-encoding")) {
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
  // PostgreSQL keeps neither, and a 500 would be the wrong way to say so.
  if (/\\u0000|\\ud[89a-f]/i.test(text)) refuseUnstorable(value, []);
  return value;
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
  const given: Record<string, string> = {};
  const details: Detail[] = [];
  for (const [name, value] of new URLSearchParams(search)) {
    if (Object.hasOwn(given, name)) details.push({ message: "Given more than once.", path: [name] });
    if (value.includes("\0")) details.push({ message: "Text must not contain NUL.", path: [name] });
    given[name] = value;
  }
  if (details.length) throw invalidRequest(details);
  return check(schema, given);
}

/** The schema's output, or a 400 that lists everything that is wrong. */
export function check(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidRequest(parsed.error.issues.slice(0, 50).flatMap(detailsOf));
}

function detailsOf(issue: z.core.$ZodIssue): Detail[] {
  const path = issue.path as (string | number)[];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ message: "This field is not known here.", path: [...path, key] }));
  }
  return [{ message: issue.message, path }];
}
