import type { Ctx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { type Change, recordByMember } from "../../audit/index.ts";
import { isInternalProvider, toMcpConnectionId } from "../internal.ts";
import type { EventType } from "./contract.ts";
import * as store from "./store.ts";

/** Who caused an event, with which credential, and from where. */
export interface Actor {
  memberId: string | null;
  credential: string | null;
  credentialId: string | null;
  address: string | null;
  userAgent: string | null;
}

export const serviceActor: Actor = {
  memberId: null,
  credential: null,
  credentialId: null,
  address: null,
  userAgent: null,
};

export const createActor = ({ caller, address, userAgent }: Ctx): Actor => ({
  memberId: caller?.member?.id ?? null,
  credential: caller?.credential ?? null,
  credentialId: caller?.credentialId ?? null,
  address,
  userAgent,
});

/** Events that are also in the audit log. Issued and refreshed tokens are too many for it. */
const auditedChanges: Partial<
  Record<EventType, { action: Change["action"]; of: "connection" | "provider" }>
> = {
  connected: { action: "oauth_connection.connected", of: "connection" },
  disconnected: { action: "oauth_connection.disconnected", of: "connection" },
  reconnect_needed: { action: "oauth_connection.reconnect_needed", of: "connection" },
  revoked: { action: "oauth_connection.revoked", of: "connection" },
  revoke_failed: { action: "oauth_connection.revoke_failed", of: "connection" },
  access_changed: { action: "oauth_connection.access_changed", of: "connection" },
  client_saved: { action: "oauth_client.saved", of: "provider" },
  client_removed: { action: "oauth_client.removed", of: "provider" },
  provider_added: { action: "oauth_provider.added", of: "provider" },
  provider_removed: { action: "oauth_provider.removed", of: "provider" },
};

/** Accounts of MCP connections are in the audit log as changes of the connection. */
const changesOfMcpConnections: Partial<Record<EventType, Change["action"]>> = {
  connected: "mcp_connection.account_connected",
  disconnected: "mcp_connection.account_disconnected",
  reconnect_needed: "mcp_connection.sign_in_needed",
  revoked: "mcp_connection.token_revoked",
  revoke_failed: "mcp_connection.token_revoke_failed",
};

/** Records every event of connections and clients. Details must not contain secrets. */
export async function recordEvent(
  tx: Db,
  orgId: OrgId,
  type: EventType,
  actor: Actor,
  about: { providerId: string; connectionId?: string | null },
  detail: Record<string, unknown> = {},
): Promise<void> {
  const { providerId, connectionId = null } = about;
  const change = auditedChanges[type];
  if (isInternalProvider(providerId)) {
    const action = changesOfMcpConnections[type];
    const target = { type: "mcp_connection", id: toMcpConnectionId(providerId) };
    if (action) await recordByMember(tx, orgId, actor, { action, target, after: detail });
  } else if (change) {
    const target =
      change.of === "connection"
        ? { type: "oauth_connection", id: connectionId }
        : { type: "oauth_provider", id: providerId };
    await recordByMember(tx, orgId, actor, {
      action: change.action,
      target,
      after: { providerId, ...detail },
    });
  }
  await store.insert(tx, orgId, { id: newId("oce"), type, providerId, connectionId, ...actor, detail });
}
