import type { RequestId } from "@modelcontextprotocol/server";
import type { MemberCtx, Platform } from "../../../platform/context.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { defineState } from "../../../platform/state.ts";
import type { Session } from "./session.ts";

const topic = "mcp-cancellations";

/**
 * The calls that are in progress in this process. A 2025-era client cancels a call with a request of its own, which may
 * reach another process. Clients of the 2026 era close the connection instead, so their calls have no name.
 */
export const callsInProgress = defineState({ name: "MCP calls in progress", create: createCallsInProgress });

function createCallsInProgress({ bus }: Pick<Platform, "bus">) {
  const calls = new Map<string, AbortController>();
  let count = 0;
  bus.subscribe(topic, {
    onMessage: (key) => calls.get(key)?.abort(new Error("The client cancelled the call.")),
    // A cancellation that is lost only lets a call finish whose result nobody reads.
    onGap: () => {},
  });
  return {
    count: () => count,
    /** Returns a signal that aborts when the signal `left` aborts, or when the client cancels the call named by `key`. */
    begin(key: string | undefined, left: AbortSignal): { signal: AbortSignal; end(): void } {
      count++;
      if (key === undefined) return { signal: left, end: () => void count-- };
      const controller = new AbortController();
      calls.set(key, controller);
      return {
        signal: AbortSignal.any([left, controller.signal]),
        end: () => {
          count--;
          if (calls.get(key) === controller) calls.delete(key);
        },
      };
    },
    cancel: (key: string) => bus.send(topic, key),
  };
}

/** Names a call of a session. Only the same credential in the same session can cancel it. */
export const nameCall = ({ caller }: MemberCtx, session: Session, id: RequestId): string =>
  hashSecret(JSON.stringify([caller.credentialId, session.id, id]));
