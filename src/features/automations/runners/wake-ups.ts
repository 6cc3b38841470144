import { setTimeout as sleep } from "node:timers/promises";
import type { MemberCtx } from "../../../platform/context.ts";
import type { Message } from "../../../platform/http/index.ts";
import { resolveHolder, resolveReach, workListeners } from "../runs/index.ts";
import { createWaker } from "../waker.ts";
import { resolveScope } from "./service.ts";
import { sharedLookups } from "./shared-lookups.ts";
import * as store from "./store.ts";

/** How often a stream polls while the bus is down. */
const pollWhileBusIsDownMs = 15_000;
/** How often a stream polls while the bus is up, in case a message was lost. */
const safetyPollMs = 60_000;
/** Changes within this time are read together. */
const quietMs = 50;
/** Commits can become visible out of order, so this time is read again. A message may be sent twice. */
const overlapMs = 5_000;

/**
 * Streams to a runner the runs that wait for it and the runs that it must stop, each once per connection. The messages
 * come from the current state, so a runner that reconnects, to any process, misses nothing.
 */
export async function* streamWork(
  ctx: MemberCtx,
  lastEventId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const scope = await resolveScope(ctx);
  let missed = false;
  const waker = createWaker(signal);
  const stop = ctx.state.get(workListeners).add(ctx.orgId, {
    onWork: (memberId) => {
      if (scope === null || memberId === scope) waker.wake();
    },
    onGap: () => {
      missed = true;
      waker.wake();
    },
  });
  const isDue = (lookedAt: number) => !ctx.bus.isUp() || performance.now() - lookedAt >= safetyPollMs;
  try {
    const since = parseSince(lastEventId);
    if (since === null) yield { event: "sync", data: {} };
    let sentKeys = new Set<string>();
    while (!signal.aborted) {
      if (missed) yield { event: "sync", data: {} };
      missed = false;
      const found = await readMessages(ctx, scope, since);
      for (const { key, message } of found) if (!sentKeys.has(key)) yield message;
      sentKeys = new Set(found.map(({ key }) => key));
      const lookedAt = performance.now();
      while (!(await waker.wait(pollWhileBusIsDownMs)) && !signal.aborted && !isDue(lookedAt));
      await sleep(quietMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    stop();
  }
}

async function readMessages(ctx: MemberCtx, scope: string | null, since: number | null) {
  const { db, orgId } = ctx;
  const shared = ctx.state.get(sharedLookups);
  const [reach, holder] = [resolveReach(ctx), resolveHolder(ctx)];
  // One announcement can wake every runner of an organization, so equal lookups are shared.
  const [waiting, held] = await Promise.all([
    shared.share(orgId, `waiting ${scope} ${since}`, () => store.listWaiting(db, orgId, scope, since, 100)),
    shared.share(orgId, `held ${reach} ${holder}`, () => store.listHeld(db, orgId, reach, holder)),
  ]);
  const pendingMessages: { key: string; at: number; message: Message }[] = [];
  for (const run of waiting) {
    pendingMessages.push({
      key: `work ${run.runId} ${run.attempt}`,
      at: run.queuedAt,
      message: { id: String(run.queuedAt), event: "work", data: run },
    });
  }
  for (const { runId, attempt, cancelRequestedAt } of held) {
    if (cancelRequestedAt === null || (since !== null && cancelRequestedAt <= since)) continue;
    pendingMessages.push({
      key: `cancel ${runId} ${attempt}`,
      at: cancelRequestedAt,
      message: { id: String(cancelRequestedAt), event: "cancel", data: { runId, attempt } },
    });
  }
  return pendingMessages.sort((a, b) => a.at - b.at);
}

/** The id of a message is its time. An id in another form is ignored. */
function parseSince(lastEventId: string | undefined): number | null {
  if (lastEventId === undefined || !/^\d{1,15}$/.test(lastEventId)) return null;
  return Number(lastEventId) - overlapMs;
}
