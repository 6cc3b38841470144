import { type Egress, EgressError, type EgressStream } from "../../../platform/egress/index.ts";
import { mayFollowPost, resolveHttpUrl } from "./address.ts";
import { type BodyRead, describeType, drain, readAnswer } from "./body.ts";
import { readChallenges, tokenChallenge } from "./challenge.ts";
import {
  answerOf,
  botProtection,
  explain,
  failed,
  type MetadataOutcome,
  type RpcOutcome,
  type Seen,
} from "./exchange.ts";
import { readBeginning, readHostCheck } from "./host-check.ts";
import { isObject, type JsonObject, readJson } from "./json.ts";
import type { Note, Trail } from "./trail.ts";
import type { Limits } from "./types.ts";

const MAX_POST_REDIRECTS = 3;
const ERROR_BODY_MS = 2000;
/** Metadata that is not needed any more has this long to arrive, so that its connection need not be torn down. */
const LATE_MS = 250;

interface RpcRequest {
  method: string;
  params?: JsonObject;
  /** Absent for a notification. */
  id?: number;
  headers: Record<string, string>;
  timeoutMs: number;
  /** The answer opens no session, so nobody needs it once the verdict is made. */
  dispensable?: boolean;
}

/** Everything a discovery sends. It keeps the deadline and the budget, and writes the trail. */
export interface Wire {
  rpc(step: string, url: URL, request: RpcRequest): Promise<RpcOutcome>;
  metadata(step: string, url: URL, timeoutMs: number): Promise<MetadataOutcome>;
  /** A GET for an event stream. The caller closes it. */
  events(
    step: string,
    url: URL,
    timeoutMs: number,
  ): Promise<Seen & ({ stream: EgressStream } | { failure: string; explanation: string })>;
  /** Ends a session. Outside the budget: what was opened must be closed. */
  endSession(url: URL, headers: Record<string, string>, timeoutMs: number): Promise<void>;
  /** Why an address that a server named would not be called, if it would not. Nothing is sent. */
  refusal(url: URL): string | undefined;
  remainingMs(): number;
  /** The verdict is made: metadata still under way is not waited for. */
  finish(): void;
  /** Settles when no message to the server is under way any more. */
  idle(): Promise<void>;
  /** True when the deadline or the budget cut the discovery short. */
  exhausted(): boolean;
}

export function createWire(options: {
  egress: Egress;
  /** The address that was asked for. What a server there says is not the caller's wish, and reaches less far. */
  given: URL;
  limits: Limits;
  trail: Trail;
  userAgent: string;
  /** Called for each session id that a server hands out, with the revision it was opened in where that was said. */
  onSession: (url: URL, session: string, version?: string) => void;
}): Wire {
  const { egress, limits, trail } = options;
  const named = egress.namedBy(options.given);
  const finished = new AbortController();
  const deadline = performance.now() + limits.deadlineMs;
  let left = limits.requests;
  let cutShort = false;
  const underWay = new Set<Promise<unknown>>();

  const remainingMs = () => Math.max(0, deadline - performance.now());

  /** The time a request may take, or the reason why it is not sent any more. */
  function allowance(timeoutMs: number): { timeoutMs: number } | { failure: string; explanation: string } {
    const available = Math.min(timeoutMs, remainingMs());
    if (available < 20) {
      cutShort = true;
      return { failure: "deadline", explanation: "The time for this discovery was over." };
    }
    if (left <= 0) {
      cutShort = true;
      return { failure: "budget", explanation: "The number of requests for one discovery was used up." };
    }
    left -= 1;
    return { timeoutMs: available };
  }

  /** A time-out that came earlier than it should have is the deadline's doing, not the server's alone. */
  function noteDeadline<T extends { failure: string }>(why: T, allowedMs: number, askedMs: number): T {
    if (why.failure === "timeout" && allowedMs < askedMs) cutShort = true;
    return why;
  }

  function rpc(step: string, url: URL, request: RpcRequest): Promise<RpcOutcome> {
    const exchange = converse(step, url, request);
    const settled: Promise<unknown> = exchange.then(
      () => underWay.delete(settled),
      () => underWay.delete(settled),
    );
    underWay.add(settled);
    return exchange;
  }

  async function converse(step: string, url: URL, request: RpcRequest): Promise<RpcOutcome> {
    let target = url;
    for (let hop = 0; ; hop += 1) {
      const outcome = await post(step, target, request);
      if (outcome.kind !== "redirect" || !outcome.target || hop >= MAX_POST_REDIRECTS) return outcome;
      if (!mayFollowPost(target, outcome.target, outcome.status)) return outcome;
      outcome.note.learn(
        `The server moved the request to ${outcome.target.host}; method and host stay the same, so it was followed.`,
        `RFC 9110 §15.4.${outcome.status === 307 ? 8 : 9}: ${outcome.status} keeps the method`,
      );
      target = outcome.target;
    }
  }

  async function post(step: string, url: URL, request: RpcRequest): Promise<RpcOutcome> {
    const note = trail.begin(step, "POST", url);
    const allowed = allowance(request.timeoutMs);
    if ("failure" in allowed) return failed(url, note, allowed);
    const { id, method, params, headers } = request;
    let stream: EgressStream;
    try {
      stream = await twice(allowed.timeoutMs, (timeoutMs) =>
        egress.open(url, {
          method: "POST",
          headers: {
            ...headers,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "user-agent": options.userAgent,
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            ...(id === undefined ? {} : { id }),
            method,
            ...(params ? { params } : {}),
          }),
          // The reader stops at its own limit and keeps what it has; this one only stops what lies about its size.
          maxBytes: 64 * limits.responseBytes,
          timeoutMs,
          redirects: 0,
          ...(request.dispensable ? { signal: finished.signal } : {}),
        }),
      );
    } catch (error) {
      return failed(url, note, noteDeadline(explain(error), allowed.timeoutMs, request.timeoutMs));
    }
    const outcome = await understand(url, note, stream, id);
    if (outcome.kind !== "failed") note.end({ status: stream.status });
    return outcome;
  }

  async function understand(
    url: URL,
    note: Note,
    stream: EgressStream,
    id: number | undefined,
  ): Promise<RpcOutcome> {
    const { status, headers } = stream;
    const session = status < 300 ? readSession(headers) : undefined;
    const seen = { url, note, status };
    const guardian = botProtection(headers);
    if (guardian !== undefined) {
      stream.close();
      return { ...seen, kind: "http", guardian };
    }
    const challenges = status >= 400 ? readChallenges(headers["www-authenticate"] ?? []) : [];
    // RFC 6750 §3.1 sends a challenge with 400 as well.
    if (status === 401 || status === 403 || (status === 400 && tokenChallenge(challenges))) {
      const isPlain403 = status === 403 && challenges.length === 0;
      const hostCheck = isPlain403 ? readHostCheck(await readBeginning(stream), url) : undefined;
      if (hostCheck) return { ...seen, kind: "wrong_host", ...hostCheck };
      if (!isPlain403) await drain(stream);
      return { ...seen, kind: "auth", challenges };
    }
    if (status >= 300 && status < 400) {
      stream.close();
      const location = headers.location?.[0];
      const target = location === undefined ? undefined : resolveHttpUrl(location, url);
      return { ...seen, kind: "redirect", ...(target ? { target } : {}) };
    }
    // RFC 9110 §15.5.20: the server does not answer for this host.
    if (status === 421)
      return { ...seen, kind: "wrong_host", ...readHostCheck(await readBeginning(stream), url) };
    if (id === undefined) {
      if (session !== undefined) options.onSession(url, session);
      await drain(stream);
      return { ...seen, kind: "accepted" };
    }
    // An error's body may name the protocol; it is not worth waiting long for.
    const hurry = status >= 400 ? setTimeout(() => stream.close(), ERROR_BODY_MS) : undefined;
    const read = await readAnswer(stream, id, limits.responseBytes);
    clearTimeout(hurry);
    // Only now is it known which revision the session speaks, and a server may refuse to close it in another.
    if (session !== undefined) options.onSession(url, session, versionOf(read));
    return answerOf(read, seen, headers, session);
  }

  async function metadata(step: string, url: URL, timeoutMs: number): Promise<MetadataOutcome> {
    const note = trail.begin(step, "GET", url);
    const seen = { url, note };
    const allowed = allowance(timeoutMs);
    if ("failure" in allowed) {
      note.end({ failure: allowed.failure });
      return { ...seen, kind: "absent", why: allowed.explanation, failure: allowed.failure };
    }
    try {
      const reply = await twice(allowed.timeoutMs, (timeoutMs) =>
        named.request(url, {
          headers: { accept: "application/json", "user-agent": options.userAgent },
          maxBytes: limits.responseBytes,
          timeoutMs,
          signal: finished.signal,
        }),
      );
      const { status } = reply;
      note.end({ status });
      if (status !== 200) return { ...seen, kind: "absent", why: `answered ${status}`, status };
      const json = readJson(reply.text());
      const type = describeType((reply.headers["content-type"]?.[0] ?? "").toLowerCase());
      if (!json.ok)
        return { ...seen, kind: "absent", why: `answered 200, but not with JSON (${type})`, status };
      if (!isObject(json.value))
        return { ...seen, kind: "absent", why: "answered JSON that is not an object", status };
      return { ...seen, kind: "document", document: json.value };
    } catch (error) {
      const { failure, explanation } = noteDeadline(explain(error), allowed.timeoutMs, timeoutMs);
      note.end({ failure });
      return { ...seen, kind: "absent", why: explanation, failure };
    }
  }

  async function events(step: string, url: URL, timeoutMs: number) {
    const note = trail.begin(step, "GET", url);
    const allowed = allowance(timeoutMs);
    if ("failure" in allowed) {
      note.end({ failure: allowed.failure });
      return { url, note, ...allowed };
    }
    try {
      const stream = await egress.open(url, {
        headers: { accept: "text/event-stream", "user-agent": options.userAgent },
        maxBytes: 64 * 1024,
        timeoutMs: allowed.timeoutMs,
        redirects: 0,
      });
      note.end({ status: stream.status });
      return { url, note, stream };
    } catch (error) {
      const why = explain(error);
      note.end({ failure: why.failure });
      return { url, note, ...why };
    }
  }

  async function endSession(url: URL, headers: Record<string, string>, timeoutMs: number): Promise<void> {
    const note = trail.begin("close_session", "DELETE", url);
    const rule = "MCP 2025-11-25, Transports › Session Management: a client that is done sends DELETE";
    try {
      const reply = await twice(timeoutMs, (left) =>
        egress.request(url, {
          method: "DELETE",
          headers: { ...headers, "user-agent": options.userAgent },
          maxBytes: 64 * 1024,
          timeoutMs: left,
          redirects: 0,
        }),
      );
      note.end({ status: reply.status });
      note.learn(describeClosing(reply.status), rule);
    } catch (error) {
      note.end({ failure: explain(error).failure });
      note.learn("The session could not be closed; the server has to let it expire.", rule);
    }
  }

  async function idle(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }

  return {
    rpc,
    metadata,
    events,
    endSession,
    refusal: (url) => named.refusal(url),
    finish: () => void setTimeout(() => finished.abort(), LATE_MS).unref(),
    idle,
    remainingMs,
    exhausted: () => cutShort,
  };
}

/**
 * MCP allows visible ASCII only. Some servers hand out more, and expect it back all the same: whatever a header can
 * carry unchanged is sent back, since a session that cannot be named cannot be closed either.
 */
function readSession(headers: Record<string, string[]>): string | undefined {
  const session = headers["mcp-session-id"]?.[0];
  return session !== undefined && /^[\x20-\x7e]{1,8192}$/.test(session) ? session : undefined;
}

function versionOf({ message }: BodyRead): string | undefined {
  const version = message?.kind === "result" ? message.result.protocolVersion : undefined;
  return typeof version === "string" && /^[\w.-]{1,40}$/.test(version) ? version : undefined;
}

function describeClosing(status: number): string {
  if (status === 405) return "The server ends its sessions by itself.";
  // 404: it is gone already.
  if (status < 300 || status === 404) return "The session was closed.";
  return `The server refused to close the session (${status}) and has to let it expire.`;
}

/**
 * Sends again what met a closed connection. A server may drop a kept connection at the moment it is used again,
 * which says nothing about the server; everything that is asked here may be asked twice (RFC 9112 §9.3.1).
 */
async function twice<T>(timeoutMs: number, send: (timeoutMs: number) => Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await send(timeoutMs);
  } catch (error) {
    const left = timeoutMs - (performance.now() - started);
    if (!(error instanceof EgressError && error.kind === "connection_reset") || left < 20) throw error;
    return send(left);
  }
}
