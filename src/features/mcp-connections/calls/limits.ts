import { createFairQueue, type FairQueue, NoPlaceError, type Release } from "@signalbox/flow-control";
import type { MemberCtx, Platform } from "../../../platform/context.ts";
import { Refusal } from "../../../platform/errors.ts";
import { defineState } from "../../../platform/state.ts";
import type { UsableConnection } from "../model.ts";
import { createRateWindow, type RateWindow } from "./rate.ts";
import * as store from "./store.ts";

/** The calls of this process to all servers. A call holds memory for its arguments and its result. */
const processLimits = { capacity: 1_000, maxWaitMs: 5_000, maxWaiting: 2_000, maxWaitingPerKey: 500 };
const maxWaitMs = 10_000;
const minuteMs = 60_000;
/** How often the calls of other processes are counted, at most, for a connection in use. */
const sharedEveryMs = 2_000;
const maxWindows = 10_000;

export type LimitedConnection = Pick<UsableConnection, "id" | "orgId" | "name" | "limits">;

export interface CallLimiter {
  /** Counts the call, and waits for a place. Throws a refusal beyond the limits of the connection. */
  enter(ctx: MemberCtx, connection: LimitedConnection, signal: AbortSignal): Promise<Release>;
}

export const callLimiter = defineState({ name: "limits of MCP connections", create: createLimiter });

function createLimiter({ db, log, queues }: Pick<Platform, "db" | "log" | "queues">): CallLimiter {
  const windows = new Map<string, { window: RateWindow; readAt: number }>();
  const places = new Map<string, { queue: FairQueue; users: number }>();
  const background = db.withOptions({ work: "background" });
  const all = queues("mcp_calls", processLimits);

  function findWindow(id: string, now: number) {
    let found = windows.get(id);
    if (!found) {
      if (windows.size >= maxWindows)
        for (const [other, { window }] of windows) if (window.isIdle(now)) windows.delete(other);
      found = { window: createRateWindow(), readAt: 0 };
      windows.set(id, found);
    }
    return found;
  }

  /** Nobody waits for this number. Other processes are noticed after about two seconds. */
  function countShared({ id, orgId, limits }: LimitedConnection, now: number): void {
    const found = findWindow(id, now);
    if (now - found.readAt < sharedEveryMs) return;
    found.readAt = now;
    store
      .countRecent(background, orgId, id, Date.now() - minuteMs, limits.callsPerMinute)
      .then((calls) => found.window.setShared(calls, now))
      .catch((error) => log.warn({ err: error }, "calls of tools could not be counted"));
  }

  async function enterPlace(
    { id, limits }: LimitedConnection,
    member: string,
    signal: AbortSignal,
  ): Promise<Release> {
    const key = `${id} ${limits.concurrency}`;
    const found = places.get(key) ?? { queue: createPlaces(limits.concurrency), users: 0 };
    places.set(key, found);
    found.users += 1;
    const leave = () => {
      found.users -= 1;
      if (found.users === 0) places.delete(key);
    };
    try {
      const release = await found.queue.enter(member, { signal });
      return () => {
        release();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  return {
    async enter({ member }, connection, signal) {
      const now = Date.now();
      countShared(connection, now);
      const wait = findWindow(connection.id, now).window.take(
        member.id,
        connection.limits.callsPerMinute,
        now,
      );
      if (wait !== undefined) throw rateLimited(connection, wait);
      try {
        const leaveConnection = await enterPlace(connection, member.id, signal);
        try {
          const leaveProcess = await all.enter(connection.orgId, { signal });
          return once(() => {
            leaveProcess();
            leaveConnection();
          });
        } catch (error) {
          leaveConnection();
          throw error;
        }
      } catch (error) {
        throw error instanceof NoPlaceError ? busy(connection) : error;
      }
    },
  };
}

const createPlaces = (concurrency: number) =>
  createFairQueue({
    capacity: concurrency,
    maxWaitMs,
    maxWaiting: concurrency * 10,
    maxWaitingPerKey: concurrency * 5,
  });

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

const rateLimited = ({ name, limits }: LimitedConnection, seconds: number) =>
  new Refusal(
    429,
    {
      error: "mcp_rate_limited",
      message: `${name} allows ${limits.callsPerMinute} calls per minute, shared by all members. Try again in ${seconds} s.`,
      retryAfterSeconds: seconds,
    },
    { "retry-after": String(seconds) },
  );

const busy = ({ name }: LimitedConnection) =>
  new Refusal(
    503,
    {
      error: "mcp_busy",
      message: `Too many calls to ${name} are running. Wait for some of them to end, then try again.`,
      retryAfterSeconds: 5,
    },
    { "retry-after": "5" },
  );
