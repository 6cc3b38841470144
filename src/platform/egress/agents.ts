import type { Agent } from "undici";

/** Longer than a connection may be idle, so that an agent that is dropped has none left. */
const idleMs = 30_000;
const most = 1_000;

export interface Agents {
  get(key: string): Agent;
  /** Ends idle connections. Requests under way are finished. */
  close(): Promise<void>;
}

/** Connections are kept apart by key. Agents that were not used lately are let go. */
export function createAgents(create: (key: string) => Agent): Agents {
  /** In the order of their last use. */
  const agents = new Map<string, { agent: Agent; usedAt: number }>();
  const drop = (key: string, agent: Agent) => {
    agents.delete(key);
    return agent.close();
  };
  return {
    get(key) {
      const now = performance.now();
      const agent = agents.get(key)?.agent ?? create(key);
      agents.delete(key);
      agents.set(key, { agent, usedAt: now });
      for (const [other, { agent: old, usedAt }] of agents) {
        if (now - usedAt < idleMs && agents.size <= most) break;
        drop(other, old).catch(() => {});
      }
      return agent;
    },
    async close() {
      await Promise.all([...agents].map(([key, { agent }]) => drop(key, agent)));
    },
  };
}
