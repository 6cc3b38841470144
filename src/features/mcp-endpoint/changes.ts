import type { ServerEventBus } from "@modelcontextprotocol/server";
import type { MemberCtx, OrgId, Platform } from "../../platform/context.ts";
import { defineState } from "../../platform/state.ts";
import { onToolChange } from "../mcp-connections/index.ts";

/** Changes that come at the same time are announced once. */
const gatherMs = 250;

/**
 * Tells clients of the 2026 era that the list of tools may have changed. Every open subscription of the organization is
 * told, on every replica. Whether anything changed for one caller is what its next `tools/list` shows.
 */
export const toolChanges = defineState({ name: "MCP tool changes", create: createToolChanges });

type Listener = Parameters<ServerEventBus["subscribe"]>[0];

function createToolChanges(platform: Pick<Platform, "bus">) {
  const listeners = new Map<OrgId, Set<Listener>>();
  const waiting = new Set<string>();
  const tell = (orgId: string) => {
    if (waiting.has(orgId)) return;
    waiting.add(orgId);
    setTimeout(() => {
      waiting.delete(orgId);
      for (const [id, set] of listeners)
        if (id === orgId) for (const listener of set) listener({ kind: "tools_list_changed" });
    }, gatherMs).unref();
  };
  onToolChange(platform, {
    onMessage: tell,
    onGap: () => {
      for (const orgId of listeners.keys()) tell(orgId);
    },
  });
  return {
    forCaller: ({ orgId }: MemberCtx): ServerEventBus => ({
      // Only the platform's bus announces, after the commit.
      publish: () => {},
      subscribe(listener) {
        const set = listeners.get(orgId) ?? new Set();
        listeners.set(orgId, set.add(listener));
        return () => {
          set.delete(listener);
          if (set.size === 0 && listeners.get(orgId) === set) listeners.delete(orgId);
        };
      },
    }),
  };
}
