import type { Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { defineState } from "../../../platform/state.ts";

/**
 * Notifies the watchers of a run when it changes. Watchers in this process are called at once; other processes get a
 * message only while they announce that they watch the run, at most one every `messageIntervalMs`. A message can be
 * lost, so a watcher must read by itself after a gap and right after it starts to watch.
 */
export interface RunChanges {
  /** Takes effect after the transaction of `db` has committed, or at once outside of a transaction. */
  announce(db: Db, runId: string): void;
  watch(runId: string, watcher: Watcher): () => void;
}

export interface Watcher {
  onChange(): void;
  /** Messages of other processes may have been lost. */
  onGap(): void;
}

const messageIntervalMs = 100;
const renewMs = 20_000;
const watchTimeoutMs = 50_000;
/** A PostgreSQL notification has at most 8,000 bytes, and an id about 30. */
const idsPerMessage = 200;
const watchTopic = "automation-watch";
const changeTopic = "automation-change";

export const runChanges = defineState({ name: "run changes", create: createRunChanges });

function createRunChanges({ bus, db: { kind }, log }: Pick<Platform, "bus" | "db" | "log">): RunChanges {
  const processId = newId("proc");
  const watchers = new Map<string, Set<Watcher>>();
  const watchedElsewhere = new Map<string, number>();
  const announced = new Set<string>();
  let renewal: NodeJS.Timeout | undefined;

  const publish = (topic: string, ...payloads: string[]) => {
    // The embedded database has no other processes.
    if (kind === "pglite" || payloads.length === 0) return;
    bus.send(topic, ...payloads).catch((error: Error) => log.warn({ err: error }, "change not announced"));
  };
  const notifyWatchers = (runId: string) => {
    for (const watcher of watchers.get(runId) ?? []) watcher.onChange();
  };
  const renew = () => {
    const ids = [...watchers.keys()];
    const messages: string[] = [];
    for (let at = 0; at < ids.length; at += idsPerMessage)
      messages.push(`${processId} ${ids.slice(at, at + idsPerMessage).join(" ")}`);
    publish(watchTopic, ...messages);
    if (ids.length === 0) {
      clearInterval(renewal);
      renewal = undefined;
    }
  };
  bus.subscribe(watchTopic, {
    onMessage: (message) => {
      const [from, ...ids] = message.split(" ");
      if (from === processId) return;
      const now = performance.now();
      for (const [id, until] of watchedElsewhere) if (until < now) watchedElsewhere.delete(id);
      for (const id of ids) watchedElsewhere.set(id, now + watchTimeoutMs);
    },
    onGap: renew,
  });
  bus.subscribe(changeTopic, {
    onMessage: notifyWatchers,
    onGap: () => {
      for (const set of watchers.values()) for (const watcher of set) watcher.onGap();
    },
  });
  const announceNow = (runId: string) => {
    if (watchers.size > 0) notifyWatchers(runId);
    if (watchedElsewhere.size === 0 || announced.has(runId)) return;
    const until = watchedElsewhere.get(runId);
    if (until === undefined || until < performance.now()) return;
    announced.add(runId);
    setTimeout(() => {
      announced.delete(runId);
      publish(changeTopic, runId);
    }, messageIntervalMs).unref();
  };

  return {
    announce: (tx, runId) => tx.afterCommit(() => announceNow(runId)),
    watch(runId, watcher) {
      const set = watchers.get(runId) ?? new Set();
      watchers.set(runId, set.add(watcher));
      publish(watchTopic, `${processId} ${runId}`);
      renewal ??= setInterval(renew, renewMs).unref();
      return () => {
        set.delete(watcher);
        if (set.size === 0) watchers.delete(runId);
      };
    },
  };
}
