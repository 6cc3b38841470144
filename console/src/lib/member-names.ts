import { useOrganization } from "./context.tsx";
import { useRead } from "./queries.ts";

/** Returns a function that gives the name of a member. Members that were not read have their id. */
export function useMemberNames(): (memberId: string) => string {
  const { permissions, memberId: own, me } = useOrganization();
  const members = useRead(
    "GET /v1/members",
    { query: { limit: 100 } },
    { enabled: permissions.has("members:read") },
  );
  const names = new Map(members.data?.items.map(({ id, name }) => [id, name]));
  names.set(own, me.user.name);
  return (memberId) => names.get(memberId) ?? memberId;
}
