import {
  CirclePlay,
  FileText,
  List,
  type LucideIcon,
  Plug,
  Plus,
  Radar,
  ShieldCheck,
  UserPlus,
  Workflow,
} from "lucide-react";
import { useOrganization } from "../../lib/context.tsx";
import { useList, useWhole } from "../../lib/queries.ts";
import { commands as texts } from "../../texts/commands.ts";
import { shell } from "../../texts/shell.ts";
import { listItems } from "../navigation.ts";

export interface Command {
  id: string;
  label: string;
  icon?: LucideIcon;
  /** At the right: what it is, or its keys. */
  hint?: string;
  /** Below the organization, or a whole path. */
  to?: string;
  run?(): void;
  destructive?: boolean;
}

export interface CommandGroup {
  value: string;
  items: Command[];
}

const matches = (label: string, text: string): boolean => label.toLowerCase().includes(text.toLowerCase());
const shownOfEach = 6;

/** What the palette offers for a text: places, things with that name, and actions. */
export function useCommands(text: string): CommandGroup[] {
  const { permissions } = useOrganization();
  const wanted = text.trim();
  const search = wanted.length >= 2;
  const mayAutomate = permissions.has("automations:create");
  const page = { query: { limit: 100 } };
  const mayRead = (permission: string) => ({ enabled: search && permissions.has(permission) });
  const automations = useWhole(useList("GET /v1/automations", page, mayRead("automations:create")));
  const templates = useWhole(useList("GET /v1/templates", page, mayRead("templates:read")));
  const connections = useWhole(useList("GET /v1/mcp-connections", page, mayRead("mcp_connections:use")));

  const mayManageMcp = permissions.has("mcp_connections:manage");
  const mayUseMcp = permissions.has("mcp_connections:use");
  const places: Command[] = listItems(permissions).flatMap(({ items }) =>
    items.map(({ path, label, icon, letter }) => ({
      id: `go ${path}`,
      label,
      icon,
      to: path,
      ...(letter ? { hint: `g ${letter}` } : {}),
    })),
  );
  const found: Command[] = search
    ? [
        ...(automations ?? []).map(({ id, name }) => ({
          id,
          label: name,
          icon: Workflow,
          hint: texts.automation,
          to: `/automations/${id}`,
        })),
        ...(connections ?? []).map(({ id, name }) => ({
          id,
          label: name,
          icon: Plug,
          hint: texts.mcpConnection,
          to: `/connections/mcp/${id}`,
        })),
        ...(templates ?? []).map(({ id, name }) => ({
          id,
          label: name,
          icon: FileText,
          hint: texts.template,
          to: `/templates/${id}`,
        })),
      ].filter(({ label }) => matches(label, wanted))
    : [];
  const actions: Command[] = [
    ...(mayAutomate
      ? [
          { id: "new automation", label: texts.newAutomation, icon: Plus, to: "/automations/new" },
          { id: "failed runs", label: texts.failedRuns, icon: CirclePlay, to: "/runs?status=failed" },
        ]
      : []),
    ...(mayManageMcp
      ? [{ id: "add server", label: texts.addServer, icon: Plug, to: "/connections/mcp?new=server" }]
      : []),
    ...(mayUseMcp
      ? [
          { id: "mcp calls", label: texts.mcpCalls, icon: List, to: "/connections/mcp?view=calls" },
          {
            id: "mcp approvals",
            label: texts.approvals,
            icon: ShieldCheck,
            to: "/connections/mcp?view=approvals",
          },
        ]
      : []),
    ...(permissions.has("members:invite")
      ? [{ id: "invite", label: texts.invite, icon: UserPlus, to: "/people/invitations?new=1" }]
      : []),
    ...(permissions.has("mcp:discover") && /^https?:\/\//.test(wanted)
      ? [
          {
            id: "discover",
            label: texts.discover(wanted),
            icon: Radar,
            to: `/discover?url=${encodeURIComponent(wanted)}`,
          },
        ]
      : []),
    ...(mayManageMcp && /^https?:\/\//.test(wanted)
      ? [
          {
            id: "add this server",
            label: texts.addThisServer(wanted),
            icon: Plug,
            to: `/connections/mcp?new=server&url=${encodeURIComponent(wanted)}`,
          },
        ]
      : []),
  ];
  return [
    { value: shell.palette.found, items: found.slice(0, shownOfEach) },
    { value: shell.palette.goTo, items: places.filter(({ label }) => matches(label, wanted)) },
    {
      value: shell.palette.do,
      items: actions.filter(
        ({ id, label }) => id === "discover" || id === "add this server" || matches(label, wanted),
      ),
    },
  ].filter(({ items }) => items.length > 0);
}
