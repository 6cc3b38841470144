import type { Db } from "../../../platform/db/index.ts";
import { newIdAt } from "../../../platform/ids.ts";
import type { Plan } from "../plan/index.ts";
import { insertRows } from "../store.ts";
import { createActor } from "./actor.ts";
import type { Ids } from "./ids.ts";

const formatDate = (ms: number) => new Date(ms).toISOString();

export const providerId = "xero";
export const clientId = "northwind-agents";
const scopes = ["openid", "profile", "email", "offline_access", "accounting.transactions"];

/** Writes a connection whose access was revoked. It has no token values, so nothing is sent to the provider. */
export async function writeConnection(tx: Db, { connection, runs, people }: Plan, ids: Ids): Promise<void> {
  const org = ids.organization;
  const { clientAt, connectedAt, lostAt, expiresAt } = connection;
  const member = ids.member("hana");
  const used = runs
    .filter(({ automation, status }) => automation === "invoices" && status === "succeeded")
    .map(({ startedAt }) => startedAt! + 1_500);
  await insertRows(tx, org, "oauth_client_credentials", [
    {
      ...{ id: ids.credentials, provider_id: providerId, client_id: clientId, auth_method: "none" },
      created_at: formatDate(clientAt),
    },
  ]);
  await insertRows(tx, org, "oauth_clients", [
    {
      ...{ provider_id: providerId, credentials_id: ids.credentials, scopes: scopes.slice(0, 4) },
      ...{ optional_scopes: scopes.slice(4), connection_mode: "personal", updated_by: ids.member("bruno") },
      ...{ created_at: formatDate(clientAt), updated_at: formatDate(clientAt) },
    },
  ]);
  await insertRows(tx, org, "oauth_tokens", [
    {
      ...{
        id: ids.token,
        credentials_id: ids.credentials,
        scopes,
        revoke_state: "unneeded",
        last_error: "invalid_grant",
      },
      ...{ obtained_at: formatDate(lostAt - 24 * 3600_000), expires_at: formatDate(expiresAt) },
      ...{ last_used_at: formatDate(used.at(-1) ?? connectedAt), created_at: formatDate(connectedAt) },
    },
  ]);
  await insertRows(tx, org, "oauth_connections", [
    {
      ...{ id: ids.connection, provider_id: providerId, shared: false, member_id: member, label: "default" },
      ...{ token_id: ids.token, account_subject: "5f2c8a10-77b1", account_name: "hana@northwind.example" },
      ...{ requested_scopes: scopes, status: "needs_reconnect", reason: "revoked_at_provider" },
      ...{ connected_by: member, connected_at: formatDate(connectedAt), created_at: formatDate(connectedAt) },
    },
  ]);
  const event = (at: number, type: string, by: string | null, detail: Record<string, unknown> = {}) => {
    const who = by === null ? undefined : createActor(people, ids, by, at);
    return {
      ...{
        id: newIdAt("oce", at),
        provider_id: providerId,
        connection_id: type === "client_saved" ? null : ids.connection,
      },
      ...{
        type,
        member_id: by && ids.member(by),
        credential: who?.credential ?? null,
        detail,
        created_at: formatDate(at),
      },
      ...{
        credential_id: who?.credentialId ?? null,
        address: who?.address ?? null,
        user_agent: who?.userAgent ?? null,
      },
    };
  };
  await insertRows(tx, org, "oauth_connection_events", [
    event(clientAt, "client_saved", "bruno", { clientId, authMethod: "none", newSecret: false }),
    event(connectedAt, "connected", "hana", { account: "default" }),
    ...used.map((at) => event(at, "token_issued", "hana")),
    event(lostAt, "reconnect_needed", null, { code: "invalid_grant" }),
  ]);
}
