/** A page of the documentation: its address below `/docs` and its file, from the root of the repository. */
export interface Page {
  slug: string;
  file: string;
  /** The name in the menu. The page itself has its own heading. */
  name: string;
}

export interface Section {
  name: string;
  pages: readonly Page[];
}

const page = (slug: string, name: string, file = `docs/${slug}.md`): Page => ({ slug, name, file });

/** The menu. A test finds documents that are missing here. */
export const sections: readonly Section[] = [
  {
    name: "Start",
    pages: [
      page("start", "Five-minute start"),
      page("concepts", "Concepts"),
      page("console", "Console"),
      page("cli", "Command line"),
      page("glossary", "Glossary"),
      page("changelog", "Changelog", "CHANGELOG.md"),
    ],
  },
  {
    name: "Guides",
    pages: [
      page("guides/repository-to-cost", "From a repository to a cost"),
      page("guides/mcp-for-a-team", "An MCP server for a team"),
      page("guides/accounts-for-agents", "Accounts for agents"),
      page("guides/people", "Bring people in"),
      page("guides/costs", "Watch and limit costs"),
      page("guides/production", "Run it in production"),
    ],
  },
  {
    name: "People and access",
    pages: [
      page("identity", "Accounts and organizations"),
      page("sso", "Single sign-on"),
      page("saml", "SAML"),
      page("scim", "SCIM"),
      page("sso/okta", "Okta"),
      page("sso/entra", "Entra ID"),
      page("sso/google-workspace", "Google Workspace"),
      page("sso/keycloak", "Keycloak"),
      page("sso/jumpcloud", "JumpCloud"),
      page("bootstrap", "Workspaces for agents"),
      page("quotas", "Quotas"),
      page("audit", "Audit log"),
    ],
  },
  {
    name: "Automations and runs",
    pages: [
      page("overview", "Overview"),
      page("automations", "Automations"),
      page("runner", "Runner"),
      page("workers", "Workers"),
      page("llm-providers", "LLM providers"),
      page("telemetry", "Telemetry"),
      page("notifications", "Notifications"),
    ],
  },
  {
    name: "Code hosts",
    pages: [page("connectors", "Connectors"), page("templates", "Templates"), page("webhooks", "Webhooks")],
  },
  {
    name: "MCP and accounts",
    pages: [
      page("discovery", "Discovery"),
      page("mcp-connections", "MCP connections"),
      page("mcp-tools", "Tools and changes"),
      page("mcp-endpoint", "The endpoint /mcp"),
      page("mcp-authorization", "Sign-in of MCP clients"),
      page("mcp-import-export", "Import and export"),
      page("oauth-providers", "Connected accounts"),
    ],
  },
  {
    name: "Operation",
    pages: [
      page("configuration", "Configuration"),
      page("operations", "Operations"),
      page("backup", "Backup and move"),
      page("kubernetes", "Kubernetes"),
      page("observability", "Logs, metrics, traces"),
      page("admin", "Administration"),
      page("scale", "Scale"),
      page("benchmarks", "Benchmarks"),
    ],
  },
  {
    name: "Security",
    pages: [
      page("security", "What is protected", "SECURITY.md"),
      page("egress", "Outside calls"),
      page("hardening", "Attacks that were tried"),
    ],
  },
  {
    name: "API",
    pages: [page("api", "What all routes share"), page("errors", "Error codes")],
  },
];

export const pages: readonly Page[] = sections.flatMap((section) => section.pages);
