import type { Me } from "@signalbox/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { RefusedError } from "./api.ts";
import { useServices } from "./context.tsx";
import { onSignInElsewhere } from "./sign-in-channel.ts";

/**
 * Who is signed in, and what they may do in an organization. Before the first answer, a 401 is an error of the query and
 * nobody is asked. Later the person is asked in place, so that the page they work on stays.
 */
export function useMe(organizationId?: string) {
  const { api } = useServices();
  const cache = useQueryClient();
  const queryKey = ["me", organizationId ?? null];
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const asks = cache.getQueryData(queryKey) !== undefined;
      return api.request("GET /v1/me", {}, { organizationId, signal, asks });
    },
    retry: (failures, error) => !(error instanceof RefusedError) && failures < 3,
    staleTime: 30_000,
    // Somebody may have signed in in another window.
    refetchOnWindowFocus: "always",
  });
}

/** The organization to open first: the one that the session acts on, or else one that is not suspended. */
export function findHome({
  organizations,
  activeOrganizationId,
}: Me): Me["organizations"][number] | undefined {
  const open = organizations.filter(({ suspendedAt }) => suspendedAt === null);
  return (
    open.find(({ organizationId }) => organizationId === activeOrganizationId) ?? open[0] ?? organizations[0]
  );
}

/** Returns a function that reads again who is signed in, after a change of the account or its organizations. */
export function useRefreshMe(): () => Promise<void> {
  const cache = useQueryClient();
  return () => cache.invalidateQueries({ queryKey: ["me"] });
}

/**
 * The person who is signed in instead of the one who opened the page. All windows of a browser share one session, so a
 * form that one person began would be sent in the name of the other.
 */
export function useOtherPerson() {
  const { data } = useMe();
  const refreshMe = useRefreshMe();
  const [openedBy, setOpenedBy] = useState(data?.user.id);
  if (openedBy === undefined && data) setOpenedBy(data.user.id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: listens from the first to the last moment of the page.
  useEffect(() => onSignInElsewhere(() => void refreshMe()), []);
  return data && openedBy !== undefined && data.user.id !== openedBy ? data.user : undefined;
}

/** Whether the error says that nobody is signed in. */
export const isSignedOut = (error: unknown): boolean => error instanceof RefusedError && error.status === 401;
