import type { Agent } from "undici";

/** Longer than a connection may be idle, so that a removed agent has no idle connections. */
const idleMs = 30_000;
const maxAgents = 1_000;

export interface Agents {
  get(key: string): Agent;
  /** Closes idle connections. Running requests finish. */
  close(): Promise<void>;
}

/** Keeps one agent per key, so that keys never share a connection. Agents without recent use are closed. */
export function createAgents(create: (key: string) => Agent): Agents {
  /** Ordered by last use, oldest first. */
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
        if (now - usedAt < idleMs && agents.size <= maxAgents) break;
        drop(other, old).catch(() => {});
      }
      return agent;
    },
    async close() {
      await Promise.all([...agents].map(([key, { agent }]) => drop(key, agent)));
    },
  };
}
