import { useList, useWhole } from "../../lib/queries.ts";

/** All roles, for a choice. The server refuses a role with more rights than the person has. */
export function useRoleOptions(): { value: string; label: string }[] {
  const roles = useWhole(useList("GET /v1/roles", { query: { limit: 100 } }));
  return (roles ?? []).map(({ id, name }) => ({ value: id, label: name }));
}
