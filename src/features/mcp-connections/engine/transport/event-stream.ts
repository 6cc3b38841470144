import type { EgressStream } from "../../../../platform/egress/index.ts";
import type { DiscoveryState } from "../state.ts";
import { type Challenges, readChallenges } from "./challenge.ts";
import { createChunkReader } from "./chunks.ts";
import { openStream, type PlannedRequest } from "./http.ts";
import type { Exchange } from "./outcomes.ts";
import { createSseReader, type SseEvent } from "./sse.ts";

const maxBytes = 64 * 1024;

export type EventStreamReply = Exchange &
  ({ status: number; challenges: Challenges; first?: SseEvent } | { failure: string });

/** Opens an event stream with GET, reads its first event if `waitMs` is given, and closes it. */
export async function requestEventStream(
  state: DiscoveryState,
  request: PlannedRequest,
  waitMs?: number,
): Promise<EventStreamReply> {
  const { address, entry, ...sent } = await openStream(state, request, maxBytes);
  if ("failed" in sent) return { address, entry, failure: sent.failed.failure };
  const { status, headers } = sent.reply;
  const isEventStream =
    status === 200 && (headers["content-type"]?.[0] ?? "").toLowerCase().includes("text/event-stream");
  const first = isEventStream && waitMs !== undefined ? await readFirstEvent(sent.reply, waitMs) : undefined;
  sent.reply.close();
  const challenges = readChallenges(headers["www-authenticate"]);
  return { address, entry, status, challenges, ...(first ? { first } : {}) };
}

async function readFirstEvent(stream: EgressStream, waitMs: number): Promise<SseEvent | undefined> {
  const reader = createSseReader();
  const nextChunk = createChunkReader(stream, maxBytes);
  for (;;) {
    const chunk = await nextChunk(waitMs);
    if (chunk.kind !== "bytes") return undefined;
    const [first] = reader.push(chunk.bytes);
    if (first) return first;
  }
}
