import type { ServerEventBus } from "@modelcontextprotocol/server";
import type { MemberCtx, Platform } from "../../platform/context.ts";
import { listCallerIds, onInvalidation } from "../../platform/http/index.ts";
import { defineState } from "../../platform/state.ts";
import { onToolChange } from "../mcp-connections/index.ts";

/** Changes that come at the same time are announced once. */
const gatherMs = 250;

/**
 * Tells clients of the 2026 era that the list of tools may have changed: all of an organization when its connections
 * changed, and those of a member when their teams or rights did. It reaches every replica. Whether anything changed for
 * one caller is what its next `tools/list` shows.
 */
export const toolChanges = defineState({ name: "MCP tool changes", create: createToolChanges });

type Listener = Parameters<ServerEventBus["subscribe"]>[0];

function createToolChanges(platform: Pick<Platform, "bus">) {
  /** By the ids of the caller: organization, member, person, credential. */
  const listeners = new Map<string, Set<Listener>>();
  const waiting = new Set<Listener>();
  const tell = (id: string) => {
    const due = [...(listeners.get(id) ?? [])].filter((listener) => !waiting.has(listener));
    if (due.length === 0) return;
    for (const listener of due) waiting.add(listener);
    setTimeout(() => {
      for (const listener of due)
        if (waiting.delete(listener) && listeners.get(id)?.has(listener))
          listener({ kind: "tools_list_changed" });
    }, gatherMs).unref();
  };
  const handler = {
    onMessage: tell,
    onGap: () => {
      for (const id of listeners.keys()) tell(id);
    },
  };
  onToolChange(platform, handler);
  onInvalidation(platform.bus, handler);
  return {
    forCaller: ({ caller }: Pick<MemberCtx, "caller">): ServerEventBus => ({
      // Only the platform's bus announces, after the commit.
      publish: () => {},
      subscribe(listener) {
        const ids = listCallerIds(caller);
        for (const id of ids) listeners.set(id, (listeners.get(id) ?? new Set()).add(listener));
        return () => {
          for (const id of ids) {
            const set = listeners.get(id);
            set?.delete(listener);
            if (set?.size === 0) listeners.delete(id);
          }
        };
      },
    }),
  };
}
