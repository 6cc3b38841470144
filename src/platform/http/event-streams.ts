import type { Bus } from "../bus.ts";
import { type Caller, findRights } from "../context.ts";
import { Refusal, unavailable } from "../errors.ts";
import type { Log } from "../log.ts";
import { listCallerIds, onInvalidation } from "./authenticate.ts";
import { createEventStream, type EventStream, type Source, streamResponse } from "./event-stream.ts";

/** How many streams may be open in this process at the same time. */
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
  /** Returns a reply that sends the messages of `source`. Throws when the owner has too many open streams. */
  open(owner: StreamOwner, source: Source): Response;
}

interface EventStreamsOptions {
  bus: Bus;
  log: Log;
  /** The server is about to stop. */
  closing: AbortSignal;
  heartbeatMs?: number;
  limits?: StreamLimits;
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
  closing,
  heartbeatMs = 15_000,
  limits = defaultLimits,
}: EventStreamsOptions): EventStreams {
  const streams = new Set<EventStream>();
  const groups = new Map<string, CredentialGroup>();
  const counts = createCounts();
  let timer: NodeJS.Timeout | undefined;

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

  function admit({ caller, network }: StreamOwner): string[] {
    const free = limits.process - streams.size;
    if (free <= 0) throw unavailable("Too many streams are open here. Try again shortly.", 5);
    const credential = caller && `credential ${caller.credentialId}`;
    if (credential && counts.of(credential) >= limits.credential) {
      throw overLimit("This credential", counts.of(credential), limits.credential);
    }
    const rights = findRights(caller);
    if (!rights) {
      const key = `network ${network}`;
      const open = counts.of(key);
      if (open >= limits.network) throw overLimit("This network", open, limits.network);
      return credential ? [credential, key] : [key];
    }
    const key = `organization ${rights.orgId}`;
    // An organization may not hold more streams than are free, so that places remain for others.
    const most = Math.min(limits.organization, free);
    const open = counts.of(key);
    if (open >= most) throw overLimit("This organization", open, most);
    return [credential!, key];
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

  return {
    open(owner, source) {
      const counted = admit(owner);
      let leave = () => {};
      const stream = createEventStream(source, log, () => {
        streams.delete(stream);
        for (const key of counted) counts.remove(key);
        leave();
        if (streams.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      });
      for (const key of counted) counts.add(key);
      streams.add(stream);
      leave = join(owner, stream);
      timer ??= setInterval(tick, Math.min(1_000, heartbeatMs / 4)).unref();
      if (closing.aborted) stream.end();
      return streamResponse(stream.body);
    },
  };
}

function createCounts() {
  const counts = new Map<string, number>();
  return {
    of: (key: string) => counts.get(key) ?? 0,
    add: (key: string) => void counts.set(key, (counts.get(key) ?? 0) + 1),
    remove(key: string) {
      const left = (counts.get(key) ?? 0) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    },
  };
}
