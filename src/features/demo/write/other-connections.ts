import type { Db } from "../../../platform/db/index.ts";
import { newIdAt } from "../../../platform/ids.ts";
import type { Plan, PlannedConnection } from "../plan/index.ts";
import { insertRows } from "../store.ts";
import { createActor } from "./actor.ts";
import type { Ids } from "./ids.ts";

const formatDate = (ms: number) => new Date(ms).toISOString();

/** Writes connections in the other states. They have no token values, so nothing is sent to a provider. */
export async function writeOtherConnections(tx: Db, { connections, people }: Plan, ids: Ids): Promise<void> {
  const org = ids.organization;
  const rows = connections.map((one) => ({
    ...{ ...one, connectionId: ids.otherConnection(one.key) },
    ...{ credentialsId: newIdAt("ocr", one.clientAt), tokenId: newIdAt("otk", one.connectedAt) },
  }));
  await insertRows(
    tx,
    org,
    "oauth_client_credentials",
    rows.map(({ key, providerId, credentialsId, clientAt }) => ({
      ...{ id: credentialsId, provider_id: providerId, client_id: `northwind-${key}`, auth_method: "none" },
      created_at: formatDate(clientAt),
    })),
  );
  await insertRows(
    tx,
    org,
    "oauth_clients",
    rows.map(({ providerId, credentialsId, scopes, isShared, clientAt }) => ({
      ...{ provider_id: providerId, credentials_id: credentialsId, scopes, optional_scopes: [] },
      ...{ connection_mode: isShared ? "organization" : "personal", updated_by: ids.member("bruno") },
      ...{ created_at: formatDate(clientAt), updated_at: formatDate(clientAt) },
    })),
  );
  await insertRows(
    tx,
    org,
    "oauth_tokens",
    rows.map(({ tokenId, credentialsId, scopes, connectedAt, expiresInMs, refreshState, ended }) => ({
      ...{ id: tokenId, credentials_id: credentialsId, scopes, refresh_state: refreshState },
      // A token that needs no revocation: the demo must not call a provider when it is removed.
      ...{ revoke_state: ended ? "revoked" : "unneeded", revoked_at: ended && formatDate(ended.at + 1_400) },
      ...{ revoke_attempts: ended ? 1 : 0, obtained_at: formatDate(connectedAt) },
      // Uses the real clock, so that the connection expires soon.
      expires_at: expiresInMs === null ? null : formatDate(Date.now() + expiresInMs),
      ...{
        last_used_at: formatDate(ended?.at ?? connectedAt + 3600_000),
        created_at: formatDate(connectedAt),
      },
    })),
  );
  await insertRows(
    tx,
    org,
    "oauth_connections",
    rows.map((row) => connectionRow(row, ids)),
  );
  const event = (row: (typeof rows)[number], at: number, type: string, by: string, isOfClient = false) => {
    const { credential, credentialId, address, userAgent } = createActor(people, ids, by, at);
    return {
      ...{ id: newIdAt("oce", at), provider_id: row.providerId, type, member_id: ids.member(by) },
      ...{ connection_id: isOfClient ? null : row.connectionId, credential, credential_id: credentialId },
      ...{ address, user_agent: userAgent, created_at: formatDate(at) },
    };
  };
  await insertRows(
    tx,
    org,
    "oauth_connection_events",
    rows.flatMap((row) => [
      event(row, row.clientAt, "client_saved", "bruno", true),
      event(row, row.connectedAt, "connected", row.member),
      ...(row.ended ? [event(row, row.ended.at, "disconnected", row.ended.by)] : []),
    ]),
  );
}

function connectionRow(row: PlannedConnection & { connectionId: string; tokenId: string }, ids: Ids) {
  const { providerId, member, isShared, account, scopes, connectedAt, ended } = row;
  return {
    ...{ id: row.connectionId, provider_id: providerId, shared: isShared, everyone: isShared },
    ...{ member_id: isShared ? null : ids.member(member), label: "default", token_id: row.tokenId },
    ...{ account_subject: `account-${row.key}`, account_name: account, requested_scopes: scopes },
    ...{ status: ended ? "ended" : "connected", reason: ended ? "disconnected" : null },
    ...{ connected_by: ids.member(member), connected_at: formatDate(connectedAt) },
    ...{ ended_by: ended && ids.member(ended.by), ended_at: ended && formatDate(ended.at) },
    created_at: formatDate(connectedAt),
  };
}
