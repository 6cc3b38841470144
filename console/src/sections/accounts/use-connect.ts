import { useOrganization } from "../../lib/context.tsx";
import { useAction } from "../../lib/queries.ts";
import { useProblem } from "../../ui/form.tsx";
import type { StartQuery } from "./types.ts";

/** Leads the browser to the provider's sign-in. The last page links back to the provider's page here. */
export function useConnect(providerId: string) {
  const { slug } = useOrganization();
  const start = useAction("GET /v1/oauth-providers/{providerId}/connect/start");
  const { problem, busy, attempt } = useProblem();
  const connect = (query: StartQuery) =>
    attempt(async () => {
      const returnTo = `/o/${slug}/connections/accounts/${providerId}`;
      const { authorizeUrl } = await start.run({ path: { providerId }, query: { ...query, returnTo } });
      window.location.assign(authorizeUrl);
      // The button stays busy until the browser has left. Back may show this page again as it was.
      await new Promise((resolve) => window.addEventListener("pageshow", resolve, { once: true }));
    });
  return { connect, problem, busy };
}
