import type { Permission } from "@signalbox/client";
import { people } from "../../texts/people.ts";

const { groups } = people.roles;

/** The part of the matrix of each kind of permission: what stands before the colon. */
const groupOfKind: Record<string, string> = {
  organization: groups.organization,
  members: groups.people,
  roles: groups.people,
  teams: groups.people,
  api_keys: groups.credentials,
  mcp_tokens: groups.credentials,
  automations: groups.automations,
  usage: groups.automations,
  audit: groups.audit,
  connectors: groups.codeHost,
  templates: groups.codeHost,
  connections: groups.connections,
  oauth_clients: groups.connections,
  mcp: groups.connections,
  mcp_connections: groups.connections,
  llm_providers: groups.llm,
  notifications: groups.telemetry,
  telemetry: groups.telemetry,
  scim: groups.signIn,
  sso: groups.signIn,
  workers: groups.workers,
};

export interface PermissionGroup {
  title: string;
  permissions: Permission[];
}

/** Groups the catalogue in its own order. A kind that this page does not know goes to the end. */
export function groupPermissions(catalogue: readonly Permission[], wanted: string): PermissionGroup[] {
  const text = wanted.trim().toLowerCase();
  const found = new Map<string, Permission[]>();
  for (const permission of catalogue) {
    const { name, description } = permission;
    if (text && !name.toLowerCase().includes(text) && !description.toLowerCase().includes(text)) continue;
    const title = groupOfKind[name.split(":")[0]!] ?? groups.other;
    found.set(title, [...(found.get(title) ?? []), permission]);
  }
  return [...found].map(([title, permissions]) => ({ title, permissions }));
}
