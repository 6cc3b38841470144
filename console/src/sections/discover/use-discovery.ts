import { useEffect, useRef, useState } from "react";
import { useOrganization, useServices } from "../../lib/context.tsx";
import { discover as texts } from "../../texts/discover.ts";
import { describeProblem, type Problem } from "../../ui/problem.ts";
import type { KeptDiscovery, Step } from "./types.ts";

export type Attempt =
  | { state: "asking"; url: string; steps: readonly Step[]; begunAt: number }
  | { state: "stopped"; url: string; steps: readonly Step[] }
  | { state: "failed"; url: string; steps: readonly Step[]; problem: Problem };

type StepMessage = Step & { index: number };

/** Puts a message of the stream into the list of requests. */
export const addStep = (steps: readonly Step[], { index, ...step }: StepMessage): readonly Step[] => {
  const next = [...steps];
  next[index] = { ...next[index], ...step };
  return next;
};

/** Discovers a server and follows each request. At most one discovery is under way; leaving the page stops it. */
export function useDiscovery(onVerdict: (discovery: KeptDiscovery) => void) {
  const { api } = useServices();
  const { id: organizationId } = useOrganization();
  const [attempt, setAttempt] = useState<Attempt>();
  const abort = useRef<AbortController>(undefined);
  const finish = useRef(onVerdict);
  finish.current = onVerdict;
  useEffect(() => () => abort.current?.abort(), []);

  async function begin(url: string): Promise<void> {
    abort.current?.abort();
    const controller = new AbortController();
    abort.current = controller;
    let steps: readonly Step[] = [];
    setAttempt({ state: "asking", url, steps, begunAt: Date.now() });
    const { signal } = controller;
    try {
      for await (const { event, data } of api.stream(
        "POST /v1/mcp-discoveries",
        { body: { url } },
        { organizationId, signal },
      )) {
        if (signal.aborted) return;
        if (event === "step") {
          steps = addStep(steps, data as StepMessage);
          setAttempt((now) => (now?.state === "asking" ? { ...now, steps } : now));
        } else if (event === "failed") throw new Error((data as { message: string }).message);
        else if (event === "verdict") {
          setAttempt(undefined);
          finish.current((data as { discovery: KeptDiscovery }).discovery);
          return;
        }
      }
      throw new Error(texts.failed.noVerdict);
    } catch (error) {
      if (signal.aborted) return;
      setAttempt({ state: "failed", url, steps, problem: describeProblem(error) });
    }
  }

  return {
    attempt,
    begin,
    /** Keeps what was answered until now. The server keeps nothing. */
    stop() {
      abort.current?.abort();
      setAttempt((now) => now && { state: "stopped", url: now.url, steps: now.steps });
    },
    clear() {
      abort.current?.abort();
      setAttempt(undefined);
    },
  };
}
