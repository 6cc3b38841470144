import { NoPlaceError, type Release } from "@signalbox/flow-control";
import type { MemberCtx, Platform } from "../../../platform/context.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { QueueSpec } from "../../../platform/limits/index.ts";
import { defineState } from "../../../platform/state.ts";
import type { UsableConnection } from "../model.ts";
import * as store from "./store.ts";

/** The calls of this machine to all servers. A call holds memory for its arguments and its result. */
const machineLimits = { capacity: 1_000, maxWaitMs: 5_000, maxWaiting: 2_000, maxWaitingPerKey: 500 };
const maxWaitMs = 10_000;
const minuteMs = 60_000;
/** How often the calls of other machines are counted, at most, for a connection in use. */
const sharedEveryMs = 2_000;
const maxReadTimes = 10_000;

export type LimitedConnection = Pick<UsableConnection, "id" | "orgId" | "name" | "limits">;

export interface CallPlace {
  release: Release;
  /** Other calls had to end first. */
  hasWaited: boolean;
}

export interface CallLimiter {
  /** Counts the call, and waits for a place. Throws a refusal beyond the limits of the connection. */
  enter(ctx: MemberCtx, connection: LimitedConnection, signal: AbortSignal): Promise<CallPlace>;
}

export const callLimiter = defineState({ name: "limits of MCP connections", create: createLimiter });

type Parts = Pick<Platform, "db" | "log" | "queues" | "limits">;

function createLimiter({ db, log, queues, limits }: Parts): CallLimiter {
  /** When the calls of each connection were counted last. */
  const readTimes = new Map<string, number>();
  const background = db.withOptions({ work: "background" });
  const all = queues("mcp_calls", machineLimits);
  const nameRate = (id: string) => `calls of ${id}`;

  /** Nobody waits for this number. Other machines are noticed after about two seconds. */
  function countShared({ id, orgId, limits: { callsPerMinute } }: LimitedConnection, now: number): void {
    if (now - (readTimes.get(id) ?? 0) < sharedEveryMs) return;
    if (readTimes.size >= maxReadTimes) readTimes.clear();
    readTimes.set(id, now);
    store
      .countRecent(background, orgId, id, now - minuteMs, callsPerMinute)
      .then((calls) => limits.setRate(nameRate(id), calls))
      .catch((error) => log.warn({ err: error }, "calls of tools could not be counted"));
  }

  return {
    async enter({ member }, connection, signal) {
      countShared(connection, Date.now());
      const { callsPerMinute } = connection.limits;
      const wait = await limits.takeRate(nameRate(connection.id), member.id, callsPerMinute);
      if (wait !== undefined) throw rateLimited(connection, wait);
      const places = describePlaces(connection);
      try {
        const free = await limits.tryEnter(places, member.id);
        const leaveConnection = free ?? (await limits.enter(places, member.id, { signal }));
        try {
          const freeHere = await all.tryEnter(connection.orgId);
          const leaveMachine = freeHere ?? (await all.enter(connection.orgId, { signal }));
          const release = once(() => {
            leaveMachine();
            leaveConnection();
          });
          return { release, hasWaited: free === undefined || freeHere === undefined };
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

/** The places of a connection. A changed limit begins with places of its own. */
const describePlaces = ({ id, limits: { concurrency } }: LimitedConnection): QueueSpec => ({
  name: `places of ${id} ${concurrency}`,
  options: {
    capacity: concurrency,
    maxWaitMs,
    maxWaiting: concurrency * 10,
    maxWaitingPerKey: concurrency * 5,
  },
  temporary: true,
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
