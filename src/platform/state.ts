import type { Platform } from "./context.ts";

/** A value that a room keeps in memory: a cache, a batcher, a meter. Each process has one. */
export interface StateDefinition<T> {
  /** Shown in errors. */
  name: string;
  /** Receives the platform outside of any transaction. */
  create(platform: Platform): T;
  /** Writes what is left, when the process ends. The database is still open. */
  stop?(value: T): unknown;
}

export const defineState = <T>(definition: StateDefinition<T>): StateDefinition<T> => definition;

/** The state of all rooms in this process. */
export interface ProcessState {
  /** Creates the value when it is first asked for. */
  get<T>(definition: StateDefinition<T>): T;
  /** Stops all values, the last created first. */
  stop(): Promise<void>;
}

/** `platform` is called on first use, because the platform contains this state. */
export function createState(platform: () => Platform): ProcessState {
  const values = new Map<StateDefinition<unknown>, unknown>();
  const creating = new Set<StateDefinition<unknown>>();
  return {
    get<T>(definition: StateDefinition<T>): T {
      if (values.has(definition)) return values.get(definition) as T;
      if (creating.has(definition)) throw new Error(`The state "${definition.name}" needs itself.`);
      creating.add(definition);
      try {
        const value = definition.create(platform());
        values.set(definition, value);
        return value;
      } finally {
        creating.delete(definition);
      }
    },
    async stop() {
      const created = [...values].reverse();
      values.clear();
      for (const [definition, value] of created) await definition.stop?.(value);
    },
  };
}
