import type { LlmProviderKind } from "@signalbox/client";
import { useRead } from "../../lib/queries.ts";

/** The kinds of providers of the catalogue, and their names. */
export function useKinds(): {
  kinds: readonly LlmProviderKind[];
  nameOfKind(kind: string): string;
  date: string | undefined;
} {
  const query = useRead("GET /v1/llm-provider-catalog", { query: { limit: 1 } });
  const kinds = query.data?.catalog.kinds ?? [];
  return {
    kinds,
    nameOfKind: (kind) => kinds.find((candidate) => candidate.kind === kind)?.name ?? kind,
    date: query.data?.catalog.date,
  };
}
