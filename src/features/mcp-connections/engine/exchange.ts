import { EgressError } from "../../../platform/egress/index.ts";
import type { BodyRead } from "./body.ts";
import type { Challenge } from "./challenge.ts";
import type { JsonObject } from "./json.ts";
import type { Note } from "./trail.ts";

export interface Seen {
  /** The URL that answered, after the redirects that were followed. */
  url: URL;
  note: Note;
}

/** What one message to the server led to. */
export type RpcOutcome = Seen &
  (
    | { kind: "result"; status: number; result: JsonObject; truncated: boolean; session?: string }
    | { kind: "error"; status: number; code: number; message: string; data: unknown }
    | { kind: "accepted"; status: number }
    | { kind: "auth"; status: number; challenges: Challenge[] }
    /** The server refuses the Host header; `wants` is the host that it names instead. */
    | { kind: "wrong_host"; status: number; wants?: string }
    | { kind: "redirect"; status: number; target?: URL }
    /** `guardian`: a bot protection that answered in the server's place. */
    | { kind: "http"; status: number; retryAfter?: string; guardian?: string }
    | { kind: "nonsense"; status: number; instead: string }
    | { kind: "failed"; failure: string; explanation: string; status?: number }
  );

export type MetadataOutcome = Seen &
  (
    | { kind: "document"; document: JsonObject }
    | { kind: "absent"; why: string; failure?: string; status?: number }
  );

/** Sorts what was read into what it means. */
export function answerOf(
  read: BodyRead,
  seen: Seen & { status: number },
  headers: Record<string, string[]>,
  session: string | undefined,
): RpcOutcome {
  if (read.message?.kind === "error") {
    const { code, message, data } = read.message;
    return { ...seen, kind: "error", code, message, data };
  }
  const isSuccess = seen.status >= 200 && seen.status < 300;
  if (read.message && isSuccess) {
    const { result } = read.message;
    return { ...seen, kind: "result", result, truncated: read.truncated, ...(session ? { session } : {}) };
  }
  if (!isSuccess) {
    const retryAfter = readRetryAfter(headers["retry-after"]?.[0]);
    return { ...seen, kind: "http", ...(retryAfter ? { retryAfter } : {}) };
  }
  if (read.fault !== undefined) return failed(seen.url, seen.note, explain(read.fault), seen.status);
  return { ...seen, kind: "nonsense", instead: read.instead };
}

export function failed(
  url: URL,
  note: Note,
  why: { failure: string; explanation: string },
  status?: number,
): RpcOutcome {
  note.end({ failure: why.failure, ...(status === undefined ? {} : { status }) });
  return { url, note, kind: "failed", ...why, ...(status === undefined ? {} : { status }) };
}

/** The kind of an egress error and its sentence. Anything else is a fault of our own and goes on up. */
export function explain(error: unknown): { failure: string; explanation: string } {
  if (!(error instanceof EgressError)) throw error;
  return { failure: error.kind, explanation: error.message };
}

/** `Retry-After` in words, when it is what RFC 9110 §10.2.3 allows. */
function readRetryAfter(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,7}$/.test(value)) return `after ${value} seconds`;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : `after ${new Date(date).toISOString()}`;
}

/** Who answered in place of the server, when a bot protection says by header that it did. */
export function botProtection(headers: Record<string, string[]>): string | undefined {
  if (headers["cf-mitigated"]) return "Cloudflare";
  if (headers["x-amzn-waf-action"]) return "AWS WAF";
  return headers["x-vercel-mitigated"] ? "Vercel" : undefined;
}
