import { hash } from "node:crypto";
import { NoPlaceError, type Release } from "@signalbox/flow-control";
import type { Platform } from "../../../platform/context.ts";
import { defineState } from "../../../platform/state.ts";
import { UpstreamError } from "./errors.ts";
import type { Operation } from "./operation.ts";
import type { Abilities, Session } from "./session.ts";
import type { UpstreamTarget } from "./types.ts";

/** Sessions of this process. Each has a client object, and often an open stream. */
/** Only the process that has an idle session can end it, so each process has its own places. */
const placeLimits = {
  capacity: 1024,
  maxWaitMs: 5_000,
  maxWaiting: 1024,
  maxWaitingPerKey: 256,
  perProcess: true,
};
const idleMs = 60_000;
const maxAgeMs = 60 * 60_000;
const sweepMs = 10_000;
/** How long the end of the process waits for servers to end their sessions. */
const stopMs = 2_000;

interface Entry {
  key: string;
  orgId: string;
  connectionId: string;
  session: Session;
  /** Only one operation at a time uses it. */
  isExclusive: boolean;
  holder: Operation | undefined;
  active: number;
  openedAt: number;
  usedAt: number;
  release: Release;
}

export interface SessionRequest {
  target: UpstreamTarget;
  headers: Record<string, string>;
  abilities: Abilities;
  /** Opens a new session, because a server gives its instructions when a session begins. */
  isFresh?: boolean;
}

export interface SessionPool {
  /** Lends a session to `work`. A session that the server has forgotten is replaced once. */
  use<T>(request: SessionRequest, operation: Operation, work: (session: Session) => Promise<T>): Promise<T>;
  /** When the server last said that its tools changed, in this process. */
  changedAt(connectionId: string): number;
  /** Closes the sessions of a connection. Running operations fail. */
  end(connectionId: string): void;
  count(): number;
  stop(): Promise<void>;
}

/** Ends the sessions of a connection in every process. The payload is the id of the connection. */
export const endTopic = "mcp_sessions_end";
/** The same, but operations that run are finished first: they may be those of other members. */
export const retireTopic = "mcp_sessions_retire";

export const sessionPool = defineState({
  name: "sessions with MCP servers",
  create: createSessionPool,
  stop: (pool) => pool.stop(),
});

function createSessionPool(platform: Platform): SessionPool {
  const entries = new Map<string, Set<Entry>>();
  /** Sessions that are still in use, and not lent again. */
  const retired = new Set<Entry>();
  const opening = new Map<string, Promise<Entry>>();
  const changes = new Map<string, number>();
  const places = platform.queues("mcp_sessions", placeLimits);
  const timer = setInterval(sweep, sweepMs).unref();
  const subscriptions = [
    platform.bus.subscribe(endTopic, { onMessage: end, onGap: () => {} }),
    platform.bus.subscribe(retireTopic, { onMessage: retireAll, onGap: () => {} }),
  ];
  platform.metrics.describe("mcp_upstream_sessions", "Open sessions with MCP servers in this process.");
  platform.metrics.gauge("mcp_upstream_sessions", count, "sum");
  platform.metrics.describe("mcp_upstream_sessions_opened_total", "Sessions opened, by outcome.");

  function count(): number {
    let sum = retired.size;
    for (const set of entries.values()) sum += set.size;
    return sum;
  }

  /** Nobody gets the session any more. Those who use it keep it until they are done. */
  function retire(entry: Entry): void {
    const set = entries.get(entry.key);
    if (!set?.delete(entry)) return;
    if (set.size === 0) entries.delete(entry.key);
    retired.add(entry);
    closeUnused(entry);
  }

  function closeUnused(entry: Entry): void {
    if (entry.active === 0 && retired.delete(entry)) void close(entry);
  }

  function close(entry: Entry): Promise<void> {
    entry.release();
    return entry.session.close();
  }

  function* listEntries() {
    for (const set of entries.values()) yield* set;
  }

  function sweep(): void {
    const now = performance.now();
    for (const entry of [...listEntries()])
      if (entry.active === 0 && (now - entry.usedAt > idleMs || now - entry.openedAt > maxAgeMs))
        retire(entry);
    for (const [id, at] of changes) if (now - at > maxAgeMs) changes.delete(id);
  }

  function end(connectionId: string): void {
    for (const entry of [...listEntries(), ...retired]) {
      if (entry.connectionId !== connectionId) continue;
      retire(entry);
      if (retired.delete(entry)) void close(entry);
    }
  }

  function retireAll(connectionId: string): void {
    for (const entry of [...listEntries()]) if (entry.connectionId === connectionId) retire(entry);
  }

  /** Closes the session that was idle for the longest time, of this organization if it has one. */
  function evictIdle(orgId: string): boolean {
    const idle = [...listEntries()].filter(({ active }) => active === 0);
    const own = idle.filter((entry) => entry.orgId === orgId);
    const [oldest] = (own.length > 0 ? own : idle).sort((a, b) => a.usedAt - b.usedAt);
    if (oldest) retire(oldest);
    return oldest !== undefined;
  }

  async function takePlace(orgId: string): Promise<Release> {
    const free =
      (await places.tryEnter(orgId)) ?? (evictIdle(orgId) ? await places.tryEnter(orgId) : undefined);
    if (free) return free;
    return places.enter(orgId).catch((error) => {
      if (!(error instanceof NoPlaceError)) throw error;
      throw new UpstreamError("busy", "Too many sessions with MCP servers are open at the moment.");
    });
  }

  /** Opens a session that the caller has taken. */
  async function open(key: string, { target, headers, abilities }: SessionRequest): Promise<Entry> {
    const release = await takePlace(target.orgId);
    let entry: Entry | undefined;
    try {
      // The client library is loaded with the first session, so that a start does not pay for it.
      const { openSession } = await import("./session.ts");
      const session = await openSession(platform, {
        target,
        headers,
        abilities,
        holder: () => entry?.holder,
        onToolsChanged: () => void changes.set(target.id, performance.now()),
      });
      const now = performance.now();
      entry = {
        key,
        orgId: target.orgId,
        connectionId: target.id,
        session,
        isExclusive: needsExclusive(abilities),
        holder: undefined,
        active: 1,
        openedAt: now,
        usedAt: now,
        release,
      };
      const set = entries.get(key) ?? new Set();
      entries.set(key, set.add(entry));
      platform.metrics.count("mcp_upstream_sessions_opened_total", { outcome: "ok" });
      return entry;
    } catch (error) {
      release();
      platform.metrics.count("mcp_upstream_sessions_opened_total", { outcome: "failed" });
      throw error;
    }
  }

  /** Callers that arrive while a session is opened share it, and do not share the fate of the one that began. */
  function openShared(key: string, request: SessionRequest): Promise<Entry> {
    const begun = opening.get(key);
    if (begun) return begun.then(take);
    const promise = open(key, request).finally(() => opening.delete(key));
    promise.catch(() => {});
    opening.set(key, promise);
    return promise;
  }

  /** Takes a session. It counts as used at once, so that nobody takes or closes it before its work begins. */
  async function acquire(request: SessionRequest): Promise<{ entry: Entry; isNew: boolean }> {
    const key = createKey(request);
    if (request.isFresh) for (const entry of [...(entries.get(key) ?? [])]) retire(entry);
    const isExclusive = needsExclusive(request.abilities);
    for (const entry of entries.get(key) ?? []) {
      if (entry.session.isLost()) retire(entry);
      else if (!isExclusive || entry.active === 0) return { entry: take(entry), isNew: false };
    }
    const entry = await (isExclusive ? open(key, request) : openShared(key, request));
    return { entry, isNew: true };
  }

  function take(entry: Entry): Entry {
    entry.active += 1;
    return entry;
  }

  function giveBack(entry: Entry): void {
    entry.active -= 1;
    entry.holder = undefined;
    entry.usedAt = performance.now();
    if (entry.session.isLost()) retire(entry);
    closeUnused(entry);
  }

  /** When the operation ends first, the session is given back as soon as it is there. */
  async function acquireFor(request: SessionRequest, operation: Operation) {
    const acquiring = acquire(request);
    try {
      return await raceWith(acquiring, operation);
    } catch (error) {
      acquiring.then(
        ({ entry }) => giveBack(entry),
        () => {},
      );
      throw error;
    }
  }

  /** Uses a session that was taken, and gives it back. */
  async function useOnce<T>(
    entry: Entry,
    operation: Operation,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    if (entry.isExclusive) entry.holder = operation;
    try {
      return await work(entry.session);
    } catch (error) {
      // The next caller gets a session of its own, as after a refused credential.
      if (error instanceof UpstreamError && error.kind === "challenge") retire(entry);
      throw error;
    } finally {
      giveBack(entry);
    }
  }

  return {
    async use(request, operation, work) {
      const first = await acquireFor(request, operation);
      try {
        return await useOnce(first.entry, operation, work);
      } catch (error) {
        // The server refused the message because of the session, so it was not executed.
        const isForgotten =
          first.entry.session.isLost() && error instanceof UpstreamError && error.status !== undefined;
        if (first.isNew || !isForgotten || operation.signal.aborted) throw error;
        const second = await acquireFor(request, operation);
        return useOnce(second.entry, operation, work);
      }
    },
    changedAt: (connectionId) => changes.get(connectionId) ?? 0,
    end,
    count,
    async stop() {
      clearInterval(timer);
      for (const unsubscribe of subscriptions) unsubscribe();
      const closed = Promise.all([...listEntries(), ...retired].map(close));
      entries.clear();
      retired.clear();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, stopMs);
      await Promise.race([closed, late]);
      clearTimeout(limit);
    },
  };
}

/** Requests of the server must reach the right caller. */
const needsExclusive = ({ elicits, samples }: Abilities) => elicits || samples;

function raceWith<T>(promise: Promise<T>, { signal }: Operation): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", onAbort));
}

/** Different credentials, addresses and abilities never share a session. The credential is not kept. */
function createKey({ target, headers, abilities }: SessionRequest): string {
  const credential = hash(
    "sha256",
    JSON.stringify([target.url, Object.entries(headers).sort()]),
    "base64url",
  );
  const { elicits, samples, watches } = abilities;
  return `${target.orgId} ${target.id} ${credential} ${+elicits}${+samples}${+watches}`;
}
