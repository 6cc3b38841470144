/** The roles that every organization has, strongest first. */
export const builtInRoles = ["owner", "admin", "member"] as const;
export type BuiltInRole = (typeof builtInRoles)[number];

const owners: readonly BuiltInRole[] = ["owner"];
const admins: readonly BuiltInRole[] = ["owner", "admin"];
const everyone: readonly BuiltInRole[] = builtInRoles;

/**
 * All permissions, with what they let a member do and the built-in roles that have them. Routes name one of these.
 */
export const catalogue = {
  "organization:read": { description: "See the organization and its settings.", roles: everyone },
  "organization:update": { description: "Change the organization's name and settings.", roles: admins },
  "organization:delete": { description: "Delete the organization and everything in it.", roles: owners },
  "members:read": {
    description: "See who belongs to the organization, its roles and teams.",
    roles: everyone,
  },
  "members:invite": { description: "Invite people, with no more rights than their own.", roles: admins },
  "members:manage": {
    description: "Change the roles of members and remove them, with no more rights than their own.",
    roles: admins,
  },
  "roles:manage": {
    description: "Create, change and remove roles, with no more rights than their own.",
    roles: admins,
  },
  "teams:manage": {
    description: "Create, change and remove teams, and choose who is in them.",
    roles: admins,
  },
  "api_keys:create": { description: "Create, see and remove their own API keys.", roles: everyone },
  "api_keys:manage": {
    description: "See and remove the API keys and MCP tokens of every member.",
    roles: admins,
  },
  "mcp_tokens:create": { description: "Create, see and remove their own MCP tokens.", roles: everyone },
  "automations:create": {
    description: "Create, change and run their own automations, and start runners for them.",
    roles: everyone,
  },
  "automations:manage": {
    description: "Manage the automations and runs of every member, budgets and retention.",
    roles: admins,
  },
  "usage:read": { description: "See what every member's runs used and cost.", roles: admins },
  "audit:read": { description: "See what was changed in the organization, and by whom.", roles: admins },
  "audit:manage": { description: "Set how long the audit log is kept.", roles: owners },
  "connectors:read": { description: "See connectors, their deliveries and syncs.", roles: everyone },
  "connectors:manage": {
    description: "Connect repositories, change and remove connectors, replay and retry.",
    roles: admins,
  },
  "templates:read": { description: "See templates and their earlier versions.", roles: everyone },
  "templates:manage": { description: "Create, change and remove templates.", roles: admins },
  "connections:use": {
    description: "Connect their own accounts and get tokens for their agents.",
    roles: everyone,
  },
  "connections:manage": {
    description:
      "See and end the connected accounts of every member, and manage shared ones and who may use them.",
    roles: admins,
  },
  "oauth_clients:manage": {
    description: "Manage the organization's OAuth clients and its own providers.",
    roles: admins,
  },
  "llm_providers:use": {
    description: "See the LLM providers that they were granted, and get the credentials for their agents.",
    roles: everyone,
  },
  "llm_providers:manage": {
    description: "Manage LLM providers, their keys and who may use them, prices and budgets.",
    roles: admins,
  },
  "notifications:manage": {
    description: "Choose who gets which mails, and manage webhook endpoints and their deliveries.",
    roles: admins,
  },
  "telemetry:report": {
    description: "Report telemetry about their own work, and see it.",
    roles: everyone,
  },
  "telemetry:read": { description: "See the telemetry of every member.", roles: admins },
  "telemetry:manage": {
    description: "Set what telemetry is kept and for how long, and report telemetry for other members.",
    roles: admins,
  },
  "scim:read": {
    description: "See the directory that manages members, its health and its calls.",
    roles: admins,
  },
  "scim:manage": {
    description: "Connect a directory that manages members, and set which roles and teams its groups become.",
    roles: owners,
  },
  "sso:read": {
    description: "See the organization's single sign-on, its domains and its last calls.",
    roles: admins,
  },
  "sso:manage": {
    description:
      "Set up single sign-on and its domains. This decides which provider can sign in as every member, owners too.",
    roles: owners,
  },
  "workers:read": { description: "See workers, what they run and their timelines.", roles: everyone },
  "workers:manage": {
    description: "Register, pause, upgrade and remove workers, and rotate their tokens.",
    roles: admins,
  },
  "mcp_connections:use": {
    description:
      "See and use the MCP connections that they were granted, and connect their accounts to them.",
    roles: everyone,
  },
  "mcp_connections:manage": {
    description:
      "Save, change and remove MCP connections, decide about their tools and who may use them, and see all calls.",
    roles: admins,
  },
  "mcp:discover": { description: "Find out how an outside MCP server must be connected.", roles: admins },
} as const satisfies Record<string, { description: string; roles: readonly BuiltInRole[] }>;

export type Permission = keyof typeof catalogue;
export const permissions = Object.keys(catalogue) as Permission[];

/** What no built-in role but the owner has. */
export const ownerPermissions: ReadonlySet<string> = new Set(
  permissions.filter((name) =>
    (catalogue[name].roles as readonly string[]).every((role) => role === "owner"),
  ),
);

const byRole = new Map<string, ReadonlySet<string>>(
  builtInRoles.map((role) => [
    role,
    new Set(permissions.filter((name) => catalogue[name].roles.includes(role))),
  ]),
);

/** `custom` are the permissions of a role that is not built in. */
export const permissionsOfRole = (role: string, custom: readonly string[] | null): ReadonlySet<string> =>
  byRole.get(role) ?? new Set(custom ?? []);
