import { useMemo } from "react";
import { useOrganization } from "./context.tsx";
import { useList, useWhole } from "./queries.ts";

/** The names of members by id: the reader's own, and with the permission those of the others. */
export function useNamesOfMembers(enabled = true): ReadonlyMap<string, string> {
  const { permissions, memberId, me } = useOrganization();
  const members = useWhole(
    useList(
      "GET /v1/members",
      { query: { limit: 100 } },
      { enabled: enabled && permissions.has("members:read") },
    ),
  );
  return useMemo(
    () => new Map([[memberId, me.user.name], ...(members ?? []).map(({ id, name }) => [id, name] as const)]),
    [memberId, me.user.name, members],
  );
}

/** Returns a function that gives the name of a member. Members that were not read have their id. */
export function useMemberNames(): (memberId: string) => string {
  const names = useNamesOfMembers();
  return (memberId) => names.get(memberId) ?? memberId;
}
