import { type Db, sql, type Unlisten } from "./db/index.ts";

/**
 * Short messages to every process on the same database, sent with the transaction that caused them.
 * A message can be lost with its connection: `onGap` says so, and nothing may depend on one alone.
 */
export interface Bus {
  publish(db: Db, topic: string, payload: string): Promise<void>;
  subscribe(topic: string, listener: { onMessage(payload: string): void; onGap(): void }): () => void;
  /** False while messages of others do not reach this process. */
  isUp(): boolean;
  close(): Promise<void>;
}

const channel = "signalbox";

export async function openBus(db: Db): Promise<Bus> {
  let up = true;
  const listeners = new Map<string, Set<Parameters<Bus["subscribe"]>[1]>>();
  const unlisten: Unlisten = await db.listen(
    channel,
    (message) => {
      const at = message.indexOf(" ");
      for (const listener of listeners.get(message.slice(0, at)) ?? [])
        listener.onMessage(message.slice(at + 1));
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
      await on.run(sql`select pg_notify(${channel}, ${`${topic} ${payload}`})`);
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
