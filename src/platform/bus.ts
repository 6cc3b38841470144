import { randomUUID } from "node:crypto";
import { type Db, sql, type Unlisten } from "./db/index.ts";

/**
 * Short messages to every process on the same database, sent with the transaction that caused them. Here
 * they arrive as soon as that has committed; elsewhere a message can be lost with its connection: `onGap`
 * says so, and nothing may depend on one alone.
 */
interface Listener {
  onMessage(payload: string): void;
  onGap(): void;
  /** This process itself is sending it: its cause is about to be committed, the message still on its way. */
  onSending?(payload: string): void;
}

export interface Bus {
  publish(db: Db, topic: string, payload: string): Promise<void>;
  subscribe(topic: string, listener: Listener): () => void;
  /** False while messages of others do not reach this process. */
  isUp(): boolean;
  close(): Promise<void>;
}

const channel = "signalbox";

export async function openBus(db: Db): Promise<Bus> {
  let up = true;
  const origin = randomUUID();
  const listeners = new Map<string, Set<Listener>>();
  const deliver = (topic: string, payload: string) => {
    for (const listener of listeners.get(topic) ?? []) listener.onMessage(payload);
  };
  const unlisten: Unlisten = await db.listen(
    channel,
    (message) => {
      const [from, topic = "", payload = ""] = split(message);
      // Our own were delivered when they were committed.
      if (from !== origin) deliver(topic, payload);
    },
    () => {
      up = true;
      for (const set of listeners.values()) for (const listener of set) listener.onGap();
    },
    () => {
      up = false;
    },
  );
  return {
    publish: async (on, topic, payload) => {
      for (const listener of listeners.get(topic) ?? []) listener.onSending?.(payload);
      await on.run(sql`select pg_notify(${channel}, ${`${origin} ${topic} ${payload}`})`);
      on.afterCommit(() => deliver(topic, payload));
    },
    subscribe: (topic, listener) => {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      return () => set.delete(listener);
    },
    isUp: () => up,
    close: unlisten,
  };
}

/** `from topic payload`, where only the payload may have spaces. */
const split = (message: string) => /^(\S+) (\S+) (.*)$/s.exec(message)?.slice(1) ?? [];
