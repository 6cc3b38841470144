import type { Release } from "@signalbox/flow-control";
import type { Bus } from "../bus.ts";
import { type Caller, findRights } from "../context.ts";
import { Refusal, unavailable } from "../errors.ts";
import type { Limits, Place } from "../limits/index.ts";
import type { Log } from "../log.ts";
import { listCallerIds, onInvalidation } from "./authenticate.ts";
import { createEventStream, type EventStream, type Source, streamHeaders } from "./event-stream.ts";

/** How many streams may be open at the same time: in this process, and on this machine for each of the others. */
export interface StreamLimits {
  credential: number;
  organization: number;
  /** For callers without an organization. */
  network: number;
  process: number;
}

const defaultLimits: StreamLimits = { credential: 100, organization: 1_000, network: 100, process: 5_000 };

/** Description of the 429 reply, for the contracts of stream routes. */
export const tooManyStreams =
  "Too many streams are open for this credential or organization. Close one first. `Retry-After` says when to try again.";

const overLimit = (who: string, open: number, most: number) =>
  new Refusal(
    429,
    {
      error: "rate_limited",
      message: `${who} has ${open} streams open, and the limit is ${most}. Close streams that are not needed, then try again.`,
    },
    { "retry-after": "10" },
  );

/** The caller that opens a stream, and functions that check its access again. */
export interface StreamOwner {
  caller: Caller | undefined;
  network: string;
  /** Equal for streams with the same credential and the same requested organization. They are checked together. */
  credentialKey: string;
  /** Looks the credential up again. */
  authenticate(): Promise<Caller | undefined>;
  /** Throws when this caller may not read this stream. */
  authorize(caller: Caller | undefined): void;
}

export interface EventStreams {
  /** Returns a reply that sends the messages of `source`. Rejects when the owner has too many open streams. */
  open(owner: StreamOwner, source: Source): Promise<Response>;
  /** The same, without the reply around the stream. */
  openBody(owner: StreamOwner, source: Source): Promise<ReadableStream<Uint8Array>>;
}

interface EventStreamsOptions {
  bus: Bus;
  log: Log;
  limits: Limits;
  /** The server is about to stop. */
  closing: AbortSignal;
  heartbeatMs?: number;
  streamLimits?: StreamLimits;
}

/** All streams that were opened with one credential. */
interface CredentialGroup {
  ids: readonly string[];
  authenticate: StreamOwner["authenticate"];
  members: Map<EventStream, StreamOwner["authorize"]>;
  checkedAt: number;
  checking: boolean;
  /** Something may have changed since the last check began. */
  stale: boolean;
}

const checksAtOnce = 8;

/**
 * The registry of open streams of a process, with one timer for heartbeats and one access check per credential. Access
 * is checked regularly, because expiry is not announced, and at once after an announced change.
 */
export function createEventStreams({
  bus,
  log,
  limits,
  closing,
  heartbeatMs = 15_000,
  streamLimits = defaultLimits,
}: EventStreamsOptions): EventStreams {
  const streams = new Set<EventStream>();
  const groups = new Map<string, CredentialGroup>();
  let timer: NodeJS.Timeout | undefined;
  /** Streams that wait for their places. */
  let admitting = 0;

  const endAll = () => {
    for (const stream of streams) stream.end();
  };
  closing.addEventListener("abort", endAll);
  onInvalidation(bus, {
    onMessage: (id) => {
      for (const group of groups.values()) if (group.ids.includes(id)) void check(group);
    },
    onGap: () => void checkEach([...groups.values()]),
  });

  function tick() {
    const now = performance.now();
    for (const stream of streams) if (now - stream.sentAt >= heartbeatMs) stream.beat();
    void checkEach([...groups.values()].filter(({ checkedAt }) => now - checkedAt >= heartbeatMs));
  }

  async function checkEach(due: CredentialGroup[]) {
    for (const group of due) group.stale = true;
    const lane = async () => {
      for (let group = due.pop(); group; group = due.pop()) await check(group);
    };
    await Promise.all(Array.from({ length: Math.min(checksAtOnce, due.length) }, lane));
  }

  async function check(group: CredentialGroup) {
    group.stale = true;
    if (group.checking) return;
    group.checking = true;
    while (group.stale && group.members.size > 0) {
      group.stale = false;
      group.checkedAt = performance.now();
      // Other listeners to the same message clear their caches first, so that the lookup returns the new state.
      await undefined;
      const checkedCaller = await group.authenticate().then(
        (caller) => ({ caller }),
        () => undefined,
      );
      for (const [stream, authorize] of group.members) {
        try {
          if (!checkedCaller) throw new Error("The credential has ended, or could not be checked.");
          authorize(checkedCaller.caller);
        } catch {
          stream.end();
        }
      }
    }
    group.checking = false;
  }

  /** Takes the places of a stream. */
  async function admit({ caller, network }: StreamOwner): Promise<Release> {
    const free = streamLimits.process - streams.size - admitting;
    if (free <= 0) throw unavailable("Too many streams are open here. Try again shortly.", 5);
    const rights = findRights(caller);
    const owners: (Place & { who: string })[] = [];
    if (caller)
      owners.push({
        who: "This credential",
        key: `streams of ${caller.credentialId}`,
        most: streamLimits.credential,
      });
    // An organization may not hold more streams than are free, so that places remain for others.
    const most = Math.min(streamLimits.organization, free);
    if (rights) owners.push({ who: "This organization", key: `streams of ${rights.orgId}`, most });
    else
      owners.push({ who: "This network", key: `streams of network ${network}`, most: streamLimits.network });
    admitting++;
    const places = await limits.takePlaces(owners.map(({ key, most }) => ({ key, most }))).finally(() => {
      admitting--;
    });
    if ("release" in places) return places.release;
    const full = owners.find(({ key }) => key === places.full)!;
    throw overLimit(full.who, places.taken, full.most);
  }

  function join(owner: StreamOwner, stream: EventStream) {
    if (!owner.caller) return () => {};
    const { credentialKey } = owner;
    let group = groups.get(credentialKey);
    if (!group) {
      group = {
        ids: listCallerIds(owner.caller),
        authenticate: owner.authenticate,
        members: new Map(),
        checkedAt: performance.now(),
        checking: false,
        stale: false,
      };
      groups.set(credentialKey, group);
    } else if (listCallerIds(owner.caller).some((id) => !group!.ids.includes(id))) {
      // The ids behind the credential have changed, so earlier streams of the group are checked again.
      group.ids = [...new Set([...group.ids, ...listCallerIds(owner.caller)])];
      void check(group);
    }
    group.members.set(stream, owner.authorize);
    return () => {
      group.members.delete(stream);
      if (group.members.size === 0 && groups.get(credentialKey) === group) groups.delete(credentialKey);
    };
  }

  async function openBody(owner: StreamOwner, source: Source): Promise<ReadableStream<Uint8Array>> {
    const release = await admit(owner);
    let leave = () => {};
    const stream = createEventStream(source, log, () => {
      streams.delete(stream);
      release();
      leave();
      if (streams.size === 0) {
        clearInterval(timer);
        timer = undefined;
      }
    });
    streams.add(stream);
    leave = join(owner, stream);
    timer ??= setInterval(tick, Math.min(1_000, heartbeatMs / 4)).unref();
    if (closing.aborted) stream.end();
    return stream.body;
  }

  return {
    openBody,
    open: async (owner, source) => new Response(await openBody(owner, source), { headers: streamHeaders }),
  };
}
