import { useMemo } from "react";
import { useOrganization } from "../../lib/context.tsx";
import { useRead } from "../../lib/queries.ts";

/** The names of members by id: the reader's own, and with the permission those of the others. */
export function useMemberNames(enabled = true): ReadonlyMap<string, string> {
  const { permissions, memberId, me } = useOrganization();
  const members = useRead(
    "GET /v1/members",
    { query: { limit: 100 } },
    { enabled: enabled && permissions.has("members:read") },
  );
  return useMemo(
    () =>
      new Map([
        [memberId, me.user.name],
        ...(members.data?.items ?? []).map(({ id, name }) => [id, name] as const),
      ]),
    [memberId, me.user.name, members.data],
  );
}
