/** The roles that every organization has, strongest first. */
export const builtInRoles = ["owner", "admin", "member"] as const;
export type BuiltInRole = (typeof builtInRoles)[number];

const owners: readonly BuiltInRole[] = ["owner"];
const admins: readonly BuiltInRole[] = ["owner", "admin"];
const everyone: readonly BuiltInRole[] = builtInRoles;

/** All permissions, with their meaning and the built-in roles that have them. Routes name one of these. */
export const catalogue = {
  "organization:read": { description: "See the organization and its settings.", roles: everyone },
  "organization:update": { description: "Change the organization's name and settings.", roles: admins },
  "organization:delete": { description: "Delete the organization and everything in it.", roles: owners },
  "members:read": {
    description: "See who belongs to the organization, its roles and teams.",
    roles: everyone,
  },
  "members:invite": { description: "Invite people, within one's own rights.", roles: admins },
  "members:manage": {
    description: "Change what members may do and remove them, within one's own rights.",
    roles: admins,
  },
  "roles:manage": { description: "Make, change and remove roles, within one's own rights.", roles: admins },
  "teams:manage": { description: "Make, change and remove teams, and say who is in them.", roles: admins },
  "api_keys:create": { description: "Make, see and remove one's own API keys.", roles: everyone },
  "api_keys:manage": {
    description: "See and remove the API keys and MCP tokens of every member.",
    roles: admins,
  },
  "mcp_tokens:create": { description: "Make, see and remove one's own MCP tokens.", roles: everyone },
  "automations:create": {
    description: "Make, change and run one's own automations, and let runners do their runs.",
    roles: everyone,
  },
  "automations:manage": {
    description: "The automations and runs of every member, budgets and retention.",
    roles: admins,
  },
  "usage:read": { description: "See what every member's runs used and cost.", roles: admins },
  "audit:read": { description: "See what was changed in the organization, and by whom.", roles: admins },
  "audit:manage": { description: "Say how long the audit log is kept.", roles: owners },
  "connectors:read": { description: "See connectors, their deliveries and syncs.", roles: everyone },
  "connectors:manage": {
    description: "Connect repositories, change and remove connectors, replay and retry.",
    roles: admins,
  },
  "templates:read": { description: "See templates and what they said before.", roles: everyone },
  "templates:manage": { description: "Make, change and remove templates.", roles: admins },
  "connections:use": {
    description: "Connect one's own accounts and get tokens for one's agents.",
    roles: everyone,
  },
  "connections:manage": {
    description: "See how everyone's connections are and end them; shared connections and who may use them.",
    roles: admins,
  },
  "oauth_clients:manage": {
    description: "The organization's OAuth clients and its own providers.",
    roles: admins,
  },
  "llm_providers:use": {
    description: "See the LLM providers that one was granted, and get their credentials for one's agents.",
    roles: everyone,
  },
  "llm_providers:manage": {
    description: "LLM providers, their keys and who may use them; prices and budgets.",
    roles: admins,
  },
  "notifications:manage": {
    description: "Choose who gets which mails, and manage webhook endpoints and their deliveries.",
    roles: admins,
  },
  "telemetry:report": {
    description: "Report telemetry about one's own work, and see it.",
    roles: everyone,
  },
  "telemetry:read": { description: "See the telemetry of every member.", roles: admins },
  "telemetry:manage": {
    description: "Say what telemetry is kept and for how long, and report telemetry for other members.",
    roles: admins,
  },
  "scim:read": {
    description: "See the directory that manages members, its health and its calls.",
    roles: admins,
  },
  "scim:manage": {
    description: "Connect a directory that manages members, and say what its groups become.",
    roles: owners,
  },
  "sso:read": {
    description: "See the organization's single sign-on, its domains and its last calls.",
    roles: admins,
  },
  "sso:manage": {
    description:
      "Set up single sign-on and its domains. Whoever has it decides which provider vouches for every member, owners too.",
    roles: owners,
  },
  "workers:read": { description: "See workers, what they run and their timelines.", roles: everyone },
  "workers:manage": {
    description: "Register, pause, upgrade and remove workers, and rotate their tokens.",
    roles: admins,
  },
  "mcp_connections:use": {
    description: "See and use the MCP connections that one was granted, and connect one's accounts to them.",
    roles: everyone,
  },
  "mcp_connections:manage": {
    description: "Save, change and remove MCP connections; their tools, who may use them, and all calls.",
    roles: admins,
  },
  "mcp:discover": { description: "Find out how an outside MCP server must be connected.", roles: admins },
} as const satisfies Record<string, { description: string; roles: readonly BuiltInRole[] }>;

export type Permission = keyof typeof catalogue;
export const permissions = Object.keys(catalogue) as Permission[];

const byRole = new Map<string, ReadonlySet<string>>(
  builtInRoles.map((role) => [
    role,
    new Set(permissions.filter((name) => catalogue[name].roles.includes(role))),
  ]),
);

/** `custom` are the permissions of a role that is not built in. */
export const permissionsOfRole = (role: string, custom: readonly string[] | null): ReadonlySet<string> =>
  byRole.get(role) ?? new Set(custom ?? []);
