import type { Db } from "../../../platform/db/index.ts";
import { newIdAt } from "../../../platform/ids.ts";
import { toProviderId } from "../../oauth-providers/index.ts";
import type { PlannedServer } from "../plan/index.ts";
import { insertRows } from "../store.ts";
import type { Ids } from "./ids.ts";

const formatDate = (ms: number) => new Date(ms).toISOString();

/** Writes the accounts that members connected. They have no token values, so nothing is sent to a server. */
export async function writeMcpAccounts(tx: Db, servers: readonly PlannedServer[], ids: Ids): Promise<void> {
  const org = ids.organization;
  const signedIn = servers.flatMap((server) => {
    const { issuer, key, savedAt } = server;
    if (issuer === null) return [];
    const connectionId = ids.mcpServer(key);
    const credentialsId = newIdAt("ocr", savedAt);
    return [{ ...server, issuer, connectionId, credentialsId, providerId: toProviderId(connectionId) }];
  });
  await insertRows(
    tx,
    org,
    "oauth_providers",
    signedIn.map(({ providerId, connectionId, name, issuer, url, scopes, savedBy, savedAt }) => ({
      ...{ id: providerId, name, issuer, scopes, mcp_connection_id: connectionId },
      server: {
        ...{ issuer, authorizationEndpoint: `${issuer}/authorize`, tokenEndpoint: `${issuer}/token` },
        ...{ resource: url, tokenAudience: new URL(url).origin },
      },
      ...{ created_by: ids.member(savedBy), created_at: formatDate(savedAt) },
    })),
  );
  await insertRows(
    tx,
    org,
    "oauth_client_credentials",
    signedIn.map(({ credentialsId, providerId, key, savedAt }) => ({
      ...{ id: credentialsId, provider_id: providerId, client_id: `northwind-${key}`, auth_method: "none" },
      created_at: formatDate(savedAt),
    })),
  );
  await insertRows(
    tx,
    org,
    "oauth_clients",
    signedIn.map(({ credentialsId, providerId, scopes, credential, savedBy, savedAt }) => ({
      ...{ provider_id: providerId, credentials_id: credentialsId, scopes, optional_scopes: [] },
      connection_mode: credential === "shared" ? "organization" : "personal",
      ...{
        updated_by: ids.member(savedBy),
        created_at: formatDate(savedAt),
        updated_at: formatDate(savedAt),
      },
    })),
  );
  const accounts = signedIn.flatMap((server) =>
    server.accounts.map((member, place) => {
      const at = server.savedAt + (place + 1) * 17 * 60_000;
      return { ...server, member, at, id: newIdAt("ocn", at), tokenId: newIdAt("otk", at) };
    }),
  );
  await insertRows(
    tx,
    org,
    "oauth_tokens",
    accounts.map(({ tokenId, credentialsId, scopes, at }) => ({
      // A token that needs no revocation: the demo must not call a server when it is removed.
      ...{ id: tokenId, credentials_id: credentialsId, scopes, revoke_state: "unneeded" },
      ...{ obtained_at: formatDate(at), last_used_at: formatDate(at), created_at: formatDate(at) },
    })),
  );
  await insertRows(
    tx,
    org,
    "oauth_connections",
    accounts.map(({ id, providerId, credential, member, tokenId, key, scopes, at }) => ({
      ...{ id, provider_id: providerId, shared: credential === "shared", label: "default" },
      ...{ member_id: credential === "shared" ? null : ids.member(member), token_id: tokenId },
      ...{ account_subject: `${key}-${member}`, account_name: `${member}@northwind.example` },
      ...{ requested_scopes: scopes, status: "connected", connected_by: ids.member(member) },
      ...{ connected_at: formatDate(at), created_at: formatDate(at) },
    })),
  );
}
