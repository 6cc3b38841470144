import { useOrganization } from "../../../lib/context.tsx";
import { useAction } from "../../../lib/queries.ts";
import { useProblem } from "../../../ui/form.tsx";

/** Leads the browser to the sign-in of a connection. The last page links back to the connection. */
export function useConnect(connectionId: string) {
  const { slug } = useOrganization();
  const start = useAction("GET /v1/mcp-connections/{id}/connect/start");
  const { problem, busy, attempt } = useProblem();
  const connect = (scopes: readonly string[] = []) =>
    attempt(async () => {
      const returnTo = `/o/${slug}/connections/mcp/${connectionId}`;
      const { authorizeUrl } = await start.run({
        path: { id: connectionId },
        query: { returnTo, ...(scopes.length > 0 ? { scopes: scopes.join(" ") } : {}) },
      });
      window.location.assign(authorizeUrl);
      // The button stays busy until the browser has left. Back may show this page again as it was.
      await new Promise((resolve) => window.addEventListener("pageshow", resolve, { once: true }));
    });
  return { connect, problem, busy };
}
