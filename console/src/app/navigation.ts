import {
  ChartColumn,
  CirclePlay,
  Cpu,
  FileText,
  GitBranch,
  KeyRound,
  LayoutDashboard,
  Link2,
  type LucideIcon,
  Plug,
  Radar,
  ScrollText,
  Server,
  Settings2,
  Users,
  Workflow,
} from "lucide-react";
import { shell } from "../texts/shell.ts";

export interface NavItem {
  /** Below `/o/{slug}`. */
  path: string;
  label: string;
  icon: LucideIcon;
  /** The item is absent without this permission. */
  permission?: string;
  /** After `g`. */
  letter?: string;
  /** A shorter name for the bar of a phone. */
  short?: string;
}

export interface NavGroup {
  title?: string;
  items: readonly NavItem[];
}

const { nav, groups } = shell;

export const navigation: readonly NavGroup[] = [
  { items: [{ path: "", label: nav.overview, icon: LayoutDashboard, letter: "o" }] },
  {
    title: groups.automate,
    items: [
      {
        path: "/automations",
        label: nav.automations,
        icon: Workflow,
        permission: "automations:create",
        letter: "a",
      },
      { path: "/runs", label: nav.runs, icon: CirclePlay, permission: "automations:create", letter: "r" },
      { path: "/templates", label: nav.templates, icon: FileText, permission: "templates:read" },
    ],
  },
  {
    title: groups.reach,
    items: [
      { path: "/discover", label: nav.discover, icon: Radar, permission: "mcp:discover", letter: "d" },
      {
        path: "/connections/mcp",
        label: nav.mcpConnections,
        icon: Plug,
        permission: "mcp_connections:use",
        letter: "m",
        short: nav.mcpShort,
      },
      {
        path: "/connections/accounts",
        label: nav.accounts,
        icon: Link2,
        permission: "connections:use",
        letter: "c",
      },
      { path: "/code-host", label: nav.codeHost, icon: GitBranch, permission: "connectors:read" },
    ],
  },
  {
    title: groups.fleet,
    items: [
      { path: "/workers", label: nav.workers, icon: Server, permission: "workers:read" },
      { path: "/llm-providers", label: nav.llmProviders, icon: Cpu, permission: "llm_providers:use" },
      { path: "/usage", label: nav.usage, icon: ChartColumn, permission: "telemetry:report" },
    ],
  },
  {
    title: groups.organization,
    items: [
      { path: "/people", label: nav.people, icon: Users, permission: "members:read", letter: "p" },
      { path: "/access", label: nav.access, icon: KeyRound },
      { path: "/audit", label: nav.audit, icon: ScrollText, permission: "audit:read" },
      { path: "/settings", label: nav.settings, icon: Settings2, permission: "organization:read" },
    ],
  },
];

/** The bar at the bottom of a phone. "More" opens the rest. */
export const phonePaths = ["", "/runs", "/discover", "/connections/mcp"];

export const listItems = (permissions: ReadonlySet<string>): NavGroup[] =>
  navigation
    .map((group) => ({
      ...group,
      items: group.items.filter(({ permission }) => permission === undefined || permissions.has(permission)),
    }))
    .filter(({ items }) => items.length > 0);
