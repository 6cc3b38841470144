import type { Calendar } from "./calendar.ts";

/** A connection besides the one of the invoices, which needs a person. */
export interface PlannedConnection {
  key: string;
  providerId: string;
  member: string;
  isShared: boolean;
  account: string;
  scopes: string[];
  clientAt: number;
  connectedAt: number;
  /** How long the token is valid from now on. Null: it does not expire. */
  expiresInMs: number | null;
  refreshState: "idle" | "uncertain";
  ended: { at: number; by: string } | null;
}

/** One connection for each state that a connection can have. */
export function planConnections({ at }: Calendar): PlannedConnection[] {
  const usual = { isShared: false, expiresInMs: null, refreshState: "idle", ended: null } as const;
  return [
    {
      ...{ ...usual, key: "slack", providerId: "slack", member: "bruno", isShared: true },
      ...{ account: "Northwind Robotics", scopes: ["chat:write", "channels:read"] },
      ...{ clientAt: at(1, "13:52"), connectedAt: at(1, "13:58") },
    },
    {
      ...{
        ...usual,
        key: "linear",
        providerId: "linear",
        member: "chiara",
        account: "chiara@northwind.example",
      },
      ...{ scopes: ["read", "write"], clientAt: at(3, "09:25"), connectedAt: at(-7, "10:02") },
      expiresInMs: 20 * 3600_000,
    },
    {
      ...{ ...usual, key: "notion", providerId: "notion", member: "elif", account: "Northwind wiki" },
      ...{ scopes: [], clientAt: at(5, "11:40"), connectedAt: at(5, "11:47"), refreshState: "uncertain" },
    },
    {
      ...{
        ...usual,
        key: "hubspot",
        providerId: "hubspot",
        member: "grace",
        account: "grace@northwind.example",
      },
      ...{ scopes: ["crm.objects.contacts.read", "oauth"], clientAt: at(4, "14:11") },
      ...{ connectedAt: at(4, "14:15"), ended: { at: at(-5, "16:33"), by: "grace" } },
    },
  ];
}
