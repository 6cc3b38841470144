/** The pages of the console, for the tests that look at all of them and for the pictures in the docs. */

type Get = (path: string) => Promise<Record<string, unknown>>;

export interface ConsolePage {
  /** The name of its picture. */
  name: string;
  /** Below the organization, or a whole path with two slashes at its beginning. */
  path: string;
}

const plain: readonly ConsolePage[] = [
  { name: "overview", path: "" },
  { name: "automations", path: "/automations" },
  { name: "automation-new", path: "/automations/new" },
  { name: "runs", path: "/runs" },
  { name: "templates", path: "/templates" },
  { name: "discover", path: "/discover" },
  { name: "mcp-connections", path: "/connections/mcp" },
  { name: "mcp-connection-new", path: "/connections/mcp?new=server" },
  { name: "mcp-approvals", path: "/connections/mcp?view=approvals" },
  { name: "mcp-calls", path: "/connections/mcp?view=calls" },
  { name: "accounts", path: "/connections/accounts" },
  { name: "connectors", path: "/code-host/connectors" },
  { name: "deliveries", path: "/code-host/deliveries" },
  { name: "syncs", path: "/code-host/syncs" },
  { name: "workers", path: "/workers" },
  { name: "runners", path: "/workers?view=runners" },
  { name: "rollouts", path: "/workers?view=rollouts" },
  { name: "registration-tokens", path: "/workers?view=tokens" },
  { name: "llm-providers", path: "/llm-providers" },
  { name: "models", path: "/llm-providers?view=models" },
  { name: "budgets", path: "/llm-providers?view=budgets" },
  { name: "usage", path: "/usage" },
  { name: "members", path: "/people/members" },
  { name: "invitations", path: "/people/invitations" },
  { name: "teams", path: "/people/teams" },
  { name: "roles", path: "/people/roles" },
  { name: "api-keys", path: "/access/keys" },
  { name: "mcp-tokens", path: "/access/mcp-tokens" },
  { name: "sso", path: "/access/sso" },
  { name: "scim", path: "/access/scim" },
  { name: "audit", path: "/audit" },
  { name: "settings", path: "/settings" },
  { name: "account", path: "//me" },
  { name: "administration", path: "//admin" },
];

const connected = "/v1/mcp-connections?status=connected&limit=1";

/** Pages of one record each: the list that has one, and where it leads. */
const records: readonly { name: string; list: string; path(id: string): string }[] = [
  { name: "automation", list: "/v1/automations?limit=1", path: (id) => `/automations/${id}` },
  { name: "automation-edit", list: "/v1/automations?limit=1", path: (id) => `/automations/${id}/edit` },
  { name: "run", list: "/v1/automation-runs?status=succeeded&limit=1", path: (id) => `/runs/${id}` },
  { name: "template", list: "/v1/templates?limit=1", path: (id) => `/templates/${id}` },
  { name: "mcp-connection", list: connected, path: (id) => `/connections/mcp/${id}` },
  { name: "mcp-tools", list: connected, path: (id) => `/connections/mcp/${id}/tools` },
  { name: "mcp-connection-calls", list: connected, path: (id) => `/connections/mcp/${id}/calls` },
  { name: "mcp-access", list: connected, path: (id) => `/connections/mcp/${id}/access` },
  { name: "mcp-settings", list: connected, path: (id) => `/connections/mcp/${id}/settings` },
  {
    name: "mcp-drift",
    list: "/v1/mcp-connections?status=tools_held&limit=1",
    path: (id) => `/connections/mcp/${id}/drift`,
  },
  { name: "delivery", list: "/v1/webhook-deliveries?limit=1", path: (id) => `/code-host/deliveries/${id}` },
  { name: "worker", list: "/v1/workers?limit=1", path: (id) => `/workers/${id}` },
  { name: "llm-provider", list: "/v1/llm-providers?limit=1", path: (id) => `/llm-providers/${id}` },
  { name: "member", list: "/v1/members?limit=1", path: (id) => `/people/members/${id}` },
];

/** Lists all pages. The ids of records come from the server. */
export async function listConsolePages(get: Get): Promise<ConsolePage[]> {
  const found = await Promise.all(
    records.map(async ({ name, list, path }) => {
      const { items } = (await get(list)) as { items?: { id: string }[] };
      return items?.[0] ? [{ name, path: path(items[0].id) }] : [];
    }),
  );
  return [...plain, ...found.flat()];
}

export const findAddress = (slug: string, { path }: ConsolePage): string =>
  path.startsWith("//") ? path.slice(1) : `/o/${slug}${path}`;
