import type { Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { recordAsSystem } from "../../audit/index.ts";
import { announce } from "../../notifications/index.ts";
import { isRepositoryName } from "../code-hosts.ts";
import type { CodeHostEvent } from "../dialects/index.ts";
import { queueEventSyncs, type SyncRequest } from "../syncs/index.ts";
import * as store from "./store.ts";

/** Why a code host ended the connection. Stored as the connector's `statusReason`. */
export const disconnectReasons = {
  installationDeleted: "installation_deleted",
  installationSuspended: "installation_suspended",
  repositoryRemoved: "repository_removed",
  repositoryDeleted: "repository_deleted",
} as const;

type DisconnectReason = (typeof disconnectReasons)[keyof typeof disconnectReasons];

type NoTarget = "no matching connector" | "missing installation id";

/** Finds the connectors that the event concerns and locks them. Returns a reason when there are none. */
export async function findTargets(
  tx: Db,
  event: CodeHostEvent,
  scope: store.EventScope,
): Promise<readonly store.EventTarget[] | NoTarget> {
  const listed = await listCandidates(tx, event, scope);
  const server = event.type !== "push" && scope.connectorId === null ? event.server : undefined;
  const found = server ? listed.filter(({ cloneUrl }) => URL.parse(cloneUrl)?.hostname === server) : listed;
  // A connector with an installation only takes events of that one. A transferred repository gets another installation.
  const targets =
    event.type === "repository" && event.change === "transferred"
      ? found
      : found.filter(
          ({ installationId }) => installationId === null || installationId === event.installationId,
        );
  if (targets.length > 0) return targets;
  return found.length > 0 && event.installationId === null
    ? "missing installation id"
    : "no matching connector";
}

function listCandidates(tx: Db, event: CodeHostEvent, scope: store.EventScope): Promise<store.EventTarget[]> {
  if (event.type === "push") {
    const refs = event.changes.map(({ ref }) => ref);
    return store.listByRefAcrossOrganizations(tx, scope, event.repository, refs);
  }
  // A name does not identify the server of a plain git repository, so only its own webhook can disconnect or move it.
  const certain =
    scope.connectorId === null
      ? { ...scope, codehosts: scope.codehosts.filter((codehost) => codehost !== "git") }
      : scope;
  if (event.type === "repository")
    return store.listByRepositoryAcrossOrganizations(tx, certain, event.repository);
  const repositories = event.type === "installation repositories" ? event.repositories : null;
  return store.listByInstallationAcrossOrganizations(tx, certain, event.installationId, repositories);
}

/**
 * Applies the event to its connectors, in the transaction that records the delivery. Returns the queued syncs by
 * connector. `isRepeated` and `headUnproven` as in `QueueOptions` of syncs.
 */
export async function applyEvent(
  platform: Pick<Platform, "bus">,
  tx: Db,
  event: CodeHostEvent,
  targets: readonly store.EventTarget[],
  { isRepeated, headUnproven }: { isRepeated: boolean; headUnproven: boolean },
): Promise<ReadonlyMap<string, string>> {
  const requests = await changeConnectors(tx, event, targets, isRepeated);
  if (event.type !== "push" && !isRepeated) {
    // Without names and ids: an organization can name a repository that it is not allowed to read.
    const after = { is: event.type, change: event.change };
    // Each entry locks the log of its organization. The same order everywhere prevents deadlocks.
    for (const { orgId, connectorId } of targets.toSorted((a, b) => (a.orgId < b.orgId ? -1 : 1))) {
      const target = { type: "connector", id: connectorId };
      await recordAsSystem(tx, orgId, { action: "connector.told_by_code_host", target, after });
    }
  }
  const cause = event.type === "push" ? "push" : "event";
  return queueEventSyncs(platform, tx, requests, { cause, isRepeated, headUnproven });
}

/** Makes the changes that need no sync, and returns the syncs to queue. */
async function changeConnectors(
  tx: Db,
  event: CodeHostEvent,
  targets: readonly store.EventTarget[],
  isRepeated: boolean,
): Promise<SyncRequest[]> {
  if (event.type === "push") {
    const heads = new Map(event.changes.map(({ ref, head }) => [ref, head]));
    return targets.map((target) => requestSync(target, heads.get(target.ref) ?? null));
  }
  const restores = event.change === "added" || event.change === "unsuspended";
  if (isRepeated) return restores ? targets.map((target) => requestSync(target, null)) : [];
  if (event.type === "repository") {
    if (event.to === null) await disconnect(tx, targets, disconnectReasons.repositoryDeleted);
    else if (isRepositoryName(event.to))
      await store.renameAcrossOrganizations(tx, targets, event.repository, event.to);
    return [];
  }
  switch (event.change) {
    case "deleted":
      await disconnect(tx, targets, disconnectReasons.installationDeleted);
      return [];
    case "suspended":
      await disconnect(tx, targets, disconnectReasons.installationSuspended);
      return [];
    case "removed":
      await disconnect(tx, targets, disconnectReasons.repositoryRemoved);
      return [];
    default: {
      const reason =
        event.change === "added"
          ? disconnectReasons.repositoryRemoved
          : disconnectReasons.installationSuspended;
      const reconnected = await store.reconnectAcrossOrganizations(tx, targets, reason);
      const ids = new Set(reconnected.map(({ connectorId }) => connectorId));
      return targets
        .filter(({ connectorId }) => ids.has(connectorId))
        .map((target) => requestSync(target, null));
    }
  }
}

const disconnectMessages: Record<DisconnectReason, string> = {
  installation_deleted:
    "The application was removed at the code host. Install it again, or give the connector other access.",
  installation_suspended:
    "The application was suspended at the code host. Syncs continue when the suspension ends.",
  repository_removed:
    "The application lost its access to the repository at the code host. Give it access there again.",
  repository_deleted:
    "The repository was deleted at the code host. Choose another one, or remove the connector.",
};

/** Disconnects the connectors. They are not synced any more, so each is announced as a failed sync. */
async function disconnect(
  tx: Db,
  targets: readonly store.EventTarget[],
  reason: DisconnectReason,
): Promise<void> {
  const disconnected = await store.disconnectAcrossOrganizations(tx, targets, reason);
  for (const { connectorId, orgId, syncedAt } of disconnected) {
    const details = { connectorId, syncId: null, code: "connector_disconnected", syncedAt };
    await announce(tx, orgId, { type: "sync.failed", ...details, message: disconnectMessages[reason] });
  }
}

const requestSync = ({ connectorId, orgId }: store.EventTarget, head: string | null): SyncRequest => ({
  id: newId("syn"),
  connectorId,
  orgId,
  head,
});
