import type { Input, Item, Reply } from "../../lib/api.ts";
import { useOrganization } from "../../lib/context.tsx";
import { useMemberNames } from "../../lib/member-names.ts";
import { accounts as texts } from "../../texts/accounts.ts";

export type Connection = Item<"GET /v1/oauth-connections">;
export type Provider = Item<"GET /v1/oauth-providers">;
export type Client = Reply<"GET /v1/oauth-providers/{providerId}/client">["client"];
export type StartQuery = NonNullable<Input<"GET /v1/oauth-providers/{providerId}/connect/start">["query"]>;

/** What changes when an account or a client changes. */
export const changed = [
  "GET /v1/oauth-connections",
  "GET /v1/oauth-connections/{id}",
  "GET /v1/oauth-providers",
  "GET /v1/oauth-providers/{providerId}",
] as const;

/** The name of an account as people know it. */
export const nameAccount = (connection: Connection): string =>
  connection.outsideAccount?.name ?? connection.outsideAccount?.subject ?? connection.account;

/** Returns a function that says whose a connection is. */
export function useWhose(): (connection: Connection) => string {
  const { memberId } = useOrganization();
  const nameMember = useMemberNames();
  return (connection) => {
    if (connection.shared) return texts.list.shared;
    if (connection.memberId === null) return texts.list.left;
    if (connection.memberId === memberId) return texts.list.yours;
    const name = nameMember(connection.memberId);
    return name === connection.memberId ? texts.list.other : name;
  };
}
