import { useList, useWhole } from "./queries.ts";

/** Returns a function that gives the name of an OAuth provider by its id. Until the names are read, it returns the id. */
export function useProviderNames(enabled = true): (providerId: string) => string {
  const providers = useWhole(useList("GET /v1/oauth-providers", { query: { limit: 100 } }, { enabled }));
  return (providerId) => providers?.find(({ id }) => id === providerId)?.name ?? providerId;
}
