import type { Bus } from "../../../platform/bus.ts";
import type { Platform } from "../../../platform/context.ts";
import { newId } from "../../../platform/ids.ts";

/**
 * Tells whoever is watching a run that there is something new, without a word to anybody when nobody is.
 * Watchers in this process hear at once. A process with watchers says so to the others now and then, and
 * only then do those send a message after a change, at most one per run every `quietMs`. A message may be
 * lost, so watchers also look by themselves from time to time.
 */
export interface Changes {
  /** After the commit. */
  announce(runId: string): void;
  watch(runId: string, onChange: () => void): () => void;
}

const quietMs = 100;
const renewMs = 20_000;
const believedMs = 50_000;
const watchTopic = "automation-watch";
const changeTopic = "automation-change";

const known = new WeakMap<Bus, Changes>();

export function changesOf(platform: Pick<Platform, "bus" | "db" | "log">): Changes {
  let changes = known.get(platform.bus);
  if (!changes) {
    changes = createChanges(platform);
    known.set(platform.bus, changes);
  }
  return changes;
}

function createChanges({ bus, db, log }: Pick<Platform, "bus" | "db" | "log">): Changes {
  const me = newId("proc");
  const watchers = new Map<string, Set<() => void>>();
  const watchedElsewhere = new Map<string, number>();
  const announced = new Set<string>();
  let renewal: NodeJS.Timeout | undefined;

  const publish = (topic: string, payload: string) => {
    // The embedded database has one process: there is no elsewhere.
    if (db.kind === "pglite") return;
    bus.publish(db, topic, payload).catch((error: Error) => log.warn({ err: error }, "change not announced"));
  };
  const tellWatchers = (runId: string) => {
    for (const onChange of watchers.get(runId) ?? []) onChange();
  };
  const renew = () => {
    for (const runId of watchers.keys()) publish(watchTopic, `${me} ${runId}`);
    if (watchers.size === 0) {
      clearInterval(renewal);
      renewal = undefined;
    }
  };
  bus.subscribe(watchTopic, {
    onMessage: (message) => {
      const [from, runId] = message.split(" ") as [string, string];
      if (from === me) return;
      const now = performance.now();
      watchedElsewhere.set(runId, now + believedMs);
      for (const [id, until] of watchedElsewhere) if (until < now) watchedElsewhere.delete(id);
    },
    onGap: renew,
  });
  bus.subscribe(changeTopic, {
    onMessage: tellWatchers,
    onGap: () => {
      for (const runId of watchers.keys()) tellWatchers(runId);
    },
  });

  return {
    announce(runId) {
      if (watchers.size > 0) tellWatchers(runId);
      if (watchedElsewhere.size === 0 || announced.has(runId)) return;
      const until = watchedElsewhere.get(runId);
      if (until === undefined || until < performance.now()) return;
      announced.add(runId);
      setTimeout(() => {
        announced.delete(runId);
        publish(changeTopic, runId);
      }, quietMs).unref();
    },
    watch(runId, onChange) {
      const set = watchers.get(runId) ?? new Set();
      watchers.set(runId, set.add(onChange));
      publish(watchTopic, `${me} ${runId}`);
      renewal ??= setInterval(renew, renewMs).unref();
      return () => {
        set.delete(onChange);
        if (set.size === 0) watchers.delete(runId);
      };
    },
  };
}
