import { randomUUID } from "node:crypto";
import { type Db, notify, type Unlisten } from "./db/index.ts";

/**
 * Short messages to every process on the same database, sent with the transaction that caused them. Here
 * they arrive as soon as that has committed; elsewhere a message can be lost with its connection: `onGap`
 * says so, and nothing may depend on one alone.
 */
export interface Bus {
  publish(db: Db, topic: string, ...payloads: string[]): Promise<void>;
  /** Publishes outside of any transaction. */
  send(topic: string, ...payloads: string[]): Promise<void>;
  subscribe(topic: string, listener: { onMessage(payload: string): void; onGap(): void }): () => void;
  /** False while messages of others do not reach this process. */
  isUp(): boolean;
  close(): Promise<void>;
}

const channel = "signalbox";

export async function openBus(db: Db): Promise<Bus> {
  let up = true;
  const origin = randomUUID();
  const listeners = new Map<string, Set<Parameters<Bus["subscribe"]>[1]>>();
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
  const bus: Bus = {
    send: (topic, ...payloads) => bus.publish(db, topic, ...payloads),
    publish: async (on, topic, ...payloads) => {
      await notify(
        on,
        channel,
        payloads.map((payload) => `${origin} ${topic} ${payload}`),
      );
      on.afterCommit(() => {
        for (const payload of payloads) deliver(topic, payload);
      });
    },
    subscribe: (topic, listener) => {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      return () => set.delete(listener);
    },
    isUp: () => up,
    close: unlisten,
  };
  return bus;
}

/** `from topic payload`, where only the payload may have spaces. */
const split = (message: string) => /^(\S+) (\S+) (.*)$/s.exec(message)?.slice(1) ?? [];
