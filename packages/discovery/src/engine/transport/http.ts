import type { EgressStream } from "../../egress/index.ts";
import type { HttpAddress } from "../address.ts";
import type { RequestFailure } from "../budget.ts";
import { describeContentType, isObject, readJson } from "../json.ts";
import type { DiscoveryState } from "../state.ts";
import { turns } from "../turns.ts";
import { createChunkReader } from "./body.ts";
import { type Challenges, readChallenges } from "./challenge.ts";
import type { Exchange, MetadataOutcome } from "./outcomes.ts";
import { createSseReader, type SseEvent } from "./sse.ts";

export interface PlannedRequest {
  step: string;
  address: HttpAddress;
  timeoutMs: number;
}

const maxEventBytes = 64 * 1024;

export type EventStreamReply = Exchange &
  ({ status: number; challenges: Challenges; first?: SseEvent } | { failure: string });

type Sent<Reply> = Exchange & ({ reply: Reply } | { failed: RequestFailure });

/** Sends a POST and returns its reply unread. The caller ends the evidence entry once the reply is read. */
export function postMessage(
  state: DiscoveryState,
  request: PlannedRequest & { headers: Record<string, string>; body: string; opensSession: boolean },
): Promise<Sent<EgressStream>> {
  const { address, headers, body, opensSession } = request;
  return sendWithinBudget(state, "POST", request, (timeoutMs) =>
    state.egress.open(address.url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "user-agent": state.userAgent,
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

/** Fetches a metadata document, which must be a JSON object, from an address that a server named. */
export async function fetchMetadata(
  state: DiscoveryState,
  request: PlannedRequest,
): Promise<MetadataOutcome> {
  const { address, entry, ...sent } = await sendWithinBudget(state, "GET", request, (timeoutMs) =>
    state.namedEgress.request(request.address.url, {
      headers: { accept: "application/json", "user-agent": state.userAgent },
      maxBytes: state.limits.responseBytes,
      timeoutMs,
      signal: state.verdictReached.signal,
    }),
  );
  if ("failed" in sent) {
    const { failure, explanation } = sent.failed;
    return { address, entry, kind: "absent", why: explanation, failure };
  }
  const { status, headers } = sent.reply;
  entry.end({ status });
  if (status !== 200) return { address, entry, kind: "absent", why: `answered ${status}`, status };
  const json = readJson(sent.reply.text());
  if (json.ok && isObject(json.value)) return { address, entry, kind: "document", document: json.value };
  const type = describeContentType(headers["content-type"]?.[0]);
  const why = json.ok ? "answered JSON that is not an object" : `answered 200, but not with JSON (${type})`;
  return { address, entry, kind: "absent", why, status };
}

/** Opens an event stream with GET, reads its first event if `waitMs` is given, and closes it. */
export async function requestEventStream(
  state: DiscoveryState,
  request: PlannedRequest,
  waitMs?: number,
): Promise<EventStreamReply> {
  const { address, entry, ...sent } = await sendWithinBudget(state, "GET", request, (timeoutMs) =>
    state.egress.open(request.address.url, {
      headers: { accept: "text/event-stream", "user-agent": state.userAgent },
      maxBytes: maxEventBytes,
      timeoutMs,
      redirects: 0,
    }),
  );
  if ("failed" in sent) return { address, entry, failure: sent.failed.failure };
  const { status, headers } = sent.reply;
  entry.end({ status });
  const isEventStream =
    status === 200 && (headers["content-type"]?.[0] ?? "").toLowerCase().includes("text/event-stream");
  const first = isEventStream && waitMs !== undefined ? await readFirstEvent(sent.reply, waitMs) : undefined;
  sent.reply.close();
  const challenges = readChallenges(headers["www-authenticate"]);
  return { address, entry, status, challenges, ...(first ? { first } : {}) };
}

async function sendWithinBudget<Reply>(
  { evidence, budget }: DiscoveryState,
  method: string,
  { step, address, timeoutMs }: PlannedRequest,
  send: (timeoutMs: number) => Promise<Reply>,
): Promise<Sent<Reply>> {
  const entry = evidence.begin(step, method, address);
  const sent = await budget.spendRequest(timeoutMs, send);
  await turns.take();
  if ("failed" in sent) entry.end({ failure: sent.failed.failure });
  return { address, entry, ...sent };
}

async function readFirstEvent(stream: EgressStream, waitMs: number): Promise<SseEvent | undefined> {
  const reader = createSseReader();
  const nextChunk = createChunkReader(stream, maxEventBytes);
  for (;;) {
    const chunk = await nextChunk(waitMs);
    if (chunk.kind !== "bytes") return undefined;
    const [first] = reader.push(chunk.bytes);
    if (first) return first;
  }
}
