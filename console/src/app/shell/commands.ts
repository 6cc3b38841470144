import { CirclePlay, FileText, type LucideIcon, Plus, Radar, UserPlus, Workflow } from "lucide-react";
import { useOrganization } from "../../lib/context.tsx";
import { useRead } from "../../lib/queries.ts";
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
  const automations = useRead(
    "GET /v1/automations",
    { query: { limit: 100 } },
    { enabled: search && mayAutomate },
  );
  const templates = useRead(
    "GET /v1/templates",
    { query: { limit: 100 } },
    { enabled: search && permissions.has("templates:read") },
  );

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
        ...(automations.data?.items ?? []).map(({ id, name }) => ({
          id,
          label: name,
          icon: Workflow,
          hint: texts.automation,
          to: `/automations/${id}`,
        })),
        ...(templates.data?.items ?? []).map(({ id, name }) => ({
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
  ];
  return [
    { value: shell.palette.found, items: found.slice(0, shownOfEach) },
    { value: shell.palette.goTo, items: places.filter(({ label }) => matches(label, wanted)) },
    {
      value: shell.palette.do,
      items: actions.filter(({ id, label }) => id === "discover" || matches(label, wanted)),
    },
  ].filter(({ items }) => items.length > 0);
}
