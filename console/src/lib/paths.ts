import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useMemo } from "react";
import { useOrganization } from "./context.tsx";

/** Returns a function that makes a path of the open organization: `path("/runs")`. */
export function usePath(): (path: string) => string {
  const { slug } = useOrganization();
  return (path) => `/o/${slug}${path}`;
}

/**
 * When a range such as "last 7 days" was chosen. The range begins there as long as it stays chosen: with a beginning that
 * moves, the list would be another one every minute, and lose the pages that were read.
 */
export const useChosenAt = (range: string | undefined): number =>
  // biome-ignore lint/correctness/useExhaustiveDependencies: another range begins anew.
  useMemo(() => Date.now(), [range]);

/** The query of the address as texts. Filters live there, so that a link shows the same list. */
export function useFilters() {
  const search = useRouterState({ select: ({ location }) => location.search as Record<string, unknown> });
  const navigate = useNavigate();
  const filters: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(search).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
  );
  /** Changes some filters. Undefined or an empty text removes one. Typing replaces the entry in the history. */
  const setFilters = (changes: Record<string, string | undefined>, { replace = true } = {}) => {
    const next = Object.fromEntries(
      Object.entries({ ...filters, ...changes }).filter(([, value]) => value !== undefined && value !== ""),
    );
    void navigate({ to: ".", search: next as never, replace });
  };
  return { filters, setFilters };
}
