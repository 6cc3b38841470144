import type { Calendar } from "./calendar.ts";
import type { Person, Team } from "./types.ts";

export const organization = { name: "Northwind Robotics", slug: "northwind-robotics" };

// The top-level domain `.example` is reserved: nobody can own the domain, and no mail can be delivered to it.
const domain = "northwind.example";

/** The custom role of the organization. */
export const financeRole = {
  name: "Finance",
  description: "Sees what runs cost and what was changed, and has automations of its own.",
  permissions: [
    "api_keys:create",
    "audit:read",
    "automations:create",
    "connections:use",
    "connectors:read",
    "mcp_connections:use",
    "members:read",
    "organization:read",
    "templates:read",
    "usage:read",
  ],
};

/** Invitations that nobody accepted. One has expired, one was cancelled. */
export const unansweredInvitations = [
  { key: "expired", email: `jonas@${domain}`, role: "member", team: "Platform" },
  { key: "cancelled", email: `mila@${domain}`, role: "admin", team: "Operations" },
] as const;

export const invitedPerson = { email: `ivo@${domain}`, role: "member", team: "Models" };

export function planPeople(calendar: Calendar): Person[] {
  const person = (
    key: string,
    name: string,
    role: string,
    team: string,
    day: number,
    clock: string,
  ): Person => ({
    ...{ key, name, role, team },
    email: `${key}@${domain}`,
    joinedAt: calendar.at(day, clock),
  });
  return [
    person("ada", "Ada Lindqvist", "owner", "Operations", 0, "09:04"),
    person("bruno", "Bruno Okafor", "admin", "Platform", 0, "09:41"),
    person("chiara", "Chiara Rossi", "member", "Platform", 0, "10:02"),
    person("dev", "Dev Patel", "member", "Models", 0, "11:17"),
    person("felix", "Felix Wagner", "member", "Platform", 0, "13:25"),
    person("grace", "Grace Nakamura", "member", "Operations", 0, "14:38"),
    person("elif", "Elif Demir", "member", "Models", 1, "09:12"),
    person("hana", "Hana Kim", financeRole.name, "Operations", 1, "09:55"),
  ];
}

export function planTeams(calendar: Calendar): Team[] {
  return [
    { name: "Platform", description: "Code, builds and releases.", createdAt: calendar.at(0, "09:11") },
    { name: "Models", description: "Training and evaluation.", createdAt: calendar.at(0, "09:12") },
    {
      name: "Operations",
      description: "Customers, invoices, everything else.",
      createdAt: calendar.at(0, "09:13"),
    },
  ];
}

export interface PlannedRunner {
  key: string;
  name: string;
  owner: string;
  platform: string;
  version: string;
  concurrency: number;
  serves: "own" | "organization";
  createdAt: number;
  lastSeenAt: number;
}

export function planRunners(calendar: Calendar): PlannedRunner[] {
  const runner = { owner: "bruno", platform: "linux x64", version: "0.1.0", concurrency: 4 };
  const createdAt = calendar.at(0, "10:10");
  return [
    {
      ...runner,
      key: "build-1",
      name: "build-1.northwind.example",
      serves: "organization",
      createdAt,
      lastSeenAt: calendar.now,
    },
    {
      ...runner,
      key: "build-2",
      name: "build-2.northwind.example",
      serves: "organization",
      createdAt: createdAt + 60_000,
      lastSeenAt: calendar.now - 9_000,
    },
    {
      ...runner,
      key: "laptop",
      name: "dev-laptop.northwind.example",
      owner: "dev",
      platform: "darwin arm64",
      concurrency: 1,
      serves: "own",
      createdAt: calendar.at(2, "10:30"),
      lastSeenAt: calendar.at(-4, "18:02"),
    },
  ];
}
