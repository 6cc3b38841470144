import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { StreamInput } from "../../../lib/api.ts";
import { useOrganization, useServices } from "../../../lib/context.tsx";
import { mcp as texts } from "../../../texts/mcp.ts";
import { describeProblem, type Problem } from "../../../ui/problem.ts";

const operation = "POST /v1/mcp-connections/import" as const;
export type ImportBody = StreamInput<typeof operation>["body"];

/** How far a server of the file is. */
export interface ImportResult {
  name: string;
  url: string | null;
  outcome: "started" | "saved" | "exists" | "choice_required" | "refused";
  connectionId?: string | null;
  error?: { error: string; message?: string; [detail: string]: unknown } | null;
}

type Message = ImportResult & { index: number };

/** Saves the servers of a file and follows each of them. */
export function useImport() {
  const { api } = useServices();
  const { id: organizationId } = useOrganization();
  const cache = useQueryClient();
  const [results, setResults] = useState<Readonly<Record<number, ImportResult>>>({});
  const [state, setState] = useState<"idle" | "running" | "done">("idle");
  const [problem, setProblem] = useState<Problem>();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  async function begin(body: ImportBody): Promise<void> {
    const controller = new AbortController();
    abort.current = controller;
    setResults({});
    setProblem(undefined);
    setState("running");
    try {
      let isDone = false;
      for await (const { event, data } of api.stream(
        operation,
        { body },
        { organizationId, signal: controller.signal },
      )) {
        if (event === "done") isDone = true;
        if (event !== "started" && event !== "result") continue;
        const { index, ...result } = data as Message;
        const outcome = event === "started" ? "started" : result.outcome;
        setResults((now) => ({ ...now, [index]: { ...result, outcome } }));
      }
      if (!isDone) throw new Error(texts.importing.broken);
    } catch (error) {
      if (!controller.signal.aborted) setProblem(describeProblem(error));
    }
    setState("done");
    await cache.invalidateQueries({ queryKey: [organizationId, "GET /v1/mcp-connections"] });
  }
  return { results, state, problem, begin };
}
