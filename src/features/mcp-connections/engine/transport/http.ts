import { EgressError, type EgressReply, type EgressStream } from "../../../../platform/egress/index.ts";
import type { HttpAddress } from "../address.ts";
import type { RequestFailure } from "../budget.ts";
import type { DiscoveryState } from "../state.ts";
import type { Exchange } from "./outcomes.ts";

export interface PlannedRequest {
  step: string;
  address: HttpAddress;
  timeoutMs: number;
}

type Sent<Reply> = Exchange & ({ reply: Reply } | { failed: RequestFailure });

/** Sends a POST and returns its reply unread. The caller ends the evidence entry once the reply is read. */
export function postMessage(
  state: DiscoveryState,
  request: PlannedRequest & { headers: Record<string, string>; body: string; opensSession: boolean },
): Promise<Sent<EgressStream>> {
  const { headers, body, opensSession } = request;
  return sendWithinBudget(state, "POST", request, (timeoutMs) =>
    state.egress.open(request.address.url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "user-agent": formatUserAgent(state),
      },
      body,
      // The reader stops at its own limit and keeps what it has read. This limit stops only extreme replies.
      maxBytes: 64 * state.limits.responseBytes,
      timeoutMs,
      redirects: 0,
      // An answer that opens a session is awaited even after the verdict, so that the session can be closed.
      ...(opensSession ? {} : { signal: state.verdictReached.signal }),
    }),
  );
}

/** Sends a GET for a document to an address that a server named. */
export async function getDocument(
  state: DiscoveryState,
  request: PlannedRequest,
): Promise<Sent<EgressReply>> {
  const sent = await sendWithinBudget(state, "GET", request, (timeoutMs) =>
    state.namedEgress.request(request.address.url, {
      headers: { accept: "application/json", "user-agent": formatUserAgent(state) },
      maxBytes: state.limits.responseBytes,
      timeoutMs,
      signal: state.verdictReached.signal,
    }),
  );
  if ("reply" in sent) sent.entry.end({ status: sent.reply.status });
  return sent;
}

/** Opens an event stream with GET, without a second attempt. The caller closes it. */
export async function openStream(
  state: DiscoveryState,
  { step, address, timeoutMs }: PlannedRequest,
  maxBytes: number,
): Promise<Sent<EgressStream>> {
  const entry = state.evidence.begin(step, "GET", address);
  const allowed = state.budget.reserveRequest(timeoutMs);
  if ("failure" in allowed) return endFailed({ address, entry }, allowed);
  try {
    const reply = await state.egress.open(address.url, {
      headers: { accept: "text/event-stream", "user-agent": formatUserAgent(state) },
      maxBytes,
      timeoutMs: allowed.timeoutMs,
      redirects: 0,
    });
    entry.end({ status: reply.status });
    return { address, entry, reply };
  } catch (error) {
    return endFailed({ address, entry }, describeFailure(error));
  }
}

/** Closes a session. The budget does not count it, because every opened session must be closed. */
export async function deleteSession(
  state: DiscoveryState,
  address: HttpAddress,
  headers: Record<string, string>,
  timeoutMs: number,
): Promise<void> {
  const entry = state.evidence.begin("close_session", "DELETE", address);
  const rule = "MCP 2025-11-25, Transports › Session Management: a client that is done sends DELETE";
  try {
    const { status } = await retryAfterReset(timeoutMs, (leftMs) =>
      state.egress.request(address.url, {
        method: "DELETE",
        headers: { ...headers, "user-agent": formatUserAgent(state) },
        maxBytes: 64 * 1024,
        timeoutMs: leftMs,
        redirects: 0,
      }),
    );
    entry.end({ status });
    entry.conclude(describeClosing(status), rule);
  } catch (error) {
    entry.end({ failure: describeFailure(error).failure });
    entry.conclude("The session could not be closed; the server has to let it expire.", rule);
  }
}

async function sendWithinBudget<Reply>(
  state: DiscoveryState,
  method: string,
  { step, address, timeoutMs }: PlannedRequest,
  send: (timeoutMs: number) => Promise<Reply>,
): Promise<Sent<Reply>> {
  const entry = state.evidence.begin(step, method, address);
  const allowed = state.budget.reserveRequest(timeoutMs);
  if ("failure" in allowed) return endFailed({ address, entry }, allowed);
  try {
    return { address, entry, reply: await retryAfterReset(allowed.timeoutMs, send) };
  } catch (error) {
    const failed = describeFailure(error);
    state.budget.recordFailure(failed, allowed.timeoutMs, timeoutMs);
    return endFailed({ address, entry }, failed);
  }
}

function endFailed(exchange: Exchange, failed: RequestFailure): Exchange & { failed: RequestFailure } {
  exchange.entry.end({ failure: failed.failure });
  return { ...exchange, failed };
}

/** Returns the kind and the sentence of an egress error. Any other error is a fault of this program. */
export function describeFailure(error: unknown): RequestFailure {
  if (!(error instanceof EgressError)) throw error;
  return { failure: error.kind, explanation: error.message };
}

/**
 * Sends a request again when its connection was reset. A server may drop a kept connection at the moment of its
 * reuse, and every request of a discovery may be sent twice (RFC 9112 §9.3.1).
 */
async function retryAfterReset<Reply>(
  timeoutMs: number,
  send: (timeoutMs: number) => Promise<Reply>,
): Promise<Reply> {
  const started = performance.now();
  try {
    return await send(timeoutMs);
  } catch (error) {
    const leftMs = timeoutMs - (performance.now() - started);
    if (!(error instanceof EgressError && error.kind === "connection_reset") || leftMs < 20) throw error;
    return send(leftMs);
  }
}

function formatUserAgent({ clientInfo }: DiscoveryState): string {
  return `${clientInfo.name}/${clientInfo.version}`;
}

function describeClosing(status: number): string {
  if (status === 405) return "The server ends its sessions by itself.";
  // 404 means that the session no longer exists.
  if (status < 300 || status === 404) return "The session was closed.";
  return `The server refused to close the session (${status}) and has to let it expire.`;
}
