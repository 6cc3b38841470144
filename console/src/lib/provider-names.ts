import { useList, useWhole } from "./queries.ts";

/** Returns a function that gives the name of an OAuth provider. Providers that were not read have their id. */
export function useProviderNames(enabled = true): (providerId: string) => string {
  const providers = useWhole(useList("GET /v1/oauth-providers", { query: { limit: 100 } }, { enabled }));
  return (providerId) => providers?.find(({ id }) => id === providerId)?.name ?? providerId;
}
