import type { Platform, ProcessState, StateDefinition } from "./context.ts";

export type { ProcessState, StateDefinition } from "./context.ts";

export const defineState = <T>(definition: StateDefinition<T>): StateDefinition<T> => definition;

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
