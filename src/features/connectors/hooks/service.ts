import type { Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { recordAsSystem } from "../../audit/index.ts";
import { announce as announceFact } from "../../notifications/index.ts";
import { isRepositoryName } from "../address.ts";
import type { Audience, News } from "./news.ts";
import * as store from "./store.ts";

/** Why a connector is disconnected, where a code host said so. */
export const endings = {
  installationDeleted: "installation_deleted",
  installationSuspended: "installation_suspended",
  repositoryRemoved: "repository_removed",
  repositoryDeleted: "repository_deleted",
} as const;

type Ending = (typeof endings)[keyof typeof endings];

type NoTarget = "no matching connector" | "missing installation id";

/** The connectors that the news is about, held until the transaction ends; or why there are none. */
export async function findTargets(
  tx: Db,
  news: News,
  audience: Audience,
): Promise<readonly store.Target[] | NoTarget> {
  const listed = await listTargets(tx, news, audience);
  const server = news.is !== "push" && audience.connectorId === null ? news.server : undefined;
  const found = server ? listed.filter(({ cloneUrl }) => URL.parse(cloneUrl)?.hostname === server) : listed;
  // Who names an installation takes news of that one alone. A repository that moved has another from now on.
  const suited =
    news.is === "repository" && news.change === "transferred"
      ? found
      : found.filter(
          ({ installationId }) => installationId === null || installationId === news.installationId,
        );
  if (suited.length > 0) return suited;
  return found.length > 0 && news.installationId === null
    ? "missing installation id"
    : "no matching connector";
}

function listTargets(tx: Db, news: News, audience: Audience): Promise<store.Target[]> {
  if (news.is === "push") {
    const refs = news.changes.map(({ ref }) => ref);
    return store.listByRefOfAll(tx, audience, news.repository, refs);
  }
  // A name says little of where a plain repository is, so only its own hook can end or move it.
  const named = audience.connectorId !== null;
  const sure = named
    ? audience
    : { ...audience, codehosts: audience.codehosts.filter((one) => one !== "git") };
  if (news.is === "repository") return store.listByRepositoryOfAll(tx, sure, news.repository);
  const repositories = news.is === "installation repositories" ? news.repositories : null;
  return store.listByInstallationOfAll(tx, sure, news.installationId, repositories);
}

/** The work that was queued, by connector. */
export type Queued = ReadonlyMap<store.ConnectorId, store.SyncId>;

/**
 * Applies the news to its connectors, in the transaction that records it. `again` means that it was applied before.
 * `headUnproven` means that no secret of the connector verified it, so the head is hidden until the connector reads it.
 */
export async function follow(
  { bus }: Pick<Platform, "bus">,
  tx: Db,
  news: News,
  targets: readonly store.Target[],
  { again, headUnproven }: { again: boolean; headUnproven: boolean },
): Promise<Queued> {
  const wanted = await changeConnectors(tx, news, targets, again);
  if (news.is !== "push" && !again) {
    // Without names and ids: an organization can name a repository that it is not allowed to read.
    const after = { is: news.is, change: news.change };
    // The log of each organization is held until the end: by all in one order, so that no two wait for each other.
    for (const { orgId, connectorId } of targets.toSorted((a, b) => (a.orgId < b.orgId ? -1 : 1))) {
      const target = { type: "connector", id: connectorId };
      await recordAsSystem(tx, orgId, { action: "connector.told_by_code_host", target, after });
    }
  }
  if (wanted.length === 0) return new Map();
  const queued = await store.queueOfAll(tx, wanted, {
    cause: news.is === "push" ? "push" : "event",
    again,
    headUnproven,
  });
  const told = queued.map(({ connectorId }) => connectorId);
  if (told.length > 0) await bus.publish(tx, syncTopic, ...told);
  return new Map(queued.map(({ id, connectorId }) => [connectorId, id]));
}

/** Changes what is to be changed at once, and says what there is to do later. */
async function changeConnectors(
  tx: Db,
  news: News,
  targets: readonly store.Target[],
  again: boolean,
): Promise<store.Wanted[]> {
  if (news.is === "push") {
    const heads = new Map(news.changes.map(({ ref, head }) => [ref, head]));
    return targets.map((target) => want(target, heads.get(target.ref) ?? null));
  }
  const restores = news.change === "added" || news.change === "unsuspended";
  if (again) return restores ? targets.map((target) => want(target, null)) : [];
  if (news.is === "repository") {
    if (news.to === null) await disconnect(tx, targets, endings.repositoryDeleted);
    else if (isRepositoryName(news.to)) await store.renameOfAll(tx, targets, news.repository, news.to);
    return [];
  }
  switch (news.change) {
    case "deleted":
      await disconnect(tx, targets, endings.installationDeleted);
      return [];
    case "suspended":
      await disconnect(tx, targets, endings.installationSuspended);
      return [];
    case "removed":
      await disconnect(tx, targets, endings.repositoryRemoved);
      return [];
    default: {
      const reason = news.change === "added" ? endings.repositoryRemoved : endings.installationSuspended;
      const back = new Set((await store.reconnectOfAll(tx, targets, reason)).map((one) => one.connectorId));
      return targets.filter(({ connectorId }) => back.has(connectorId)).map((target) => want(target, null));
    }
  }
}

const endingMessages: Record<Ending, string> = {
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
async function disconnect(tx: Db, targets: readonly store.Target[], reason: Ending): Promise<void> {
  for (const { connectorId, orgId, syncedAt } of await store.disconnectOfAll(tx, targets, reason)) {
    const fact = { connectorId, syncId: null, code: "connector_disconnected", syncedAt };
    await announceFact(tx, orgId, { type: "sync.failed", ...fact, message: endingMessages[reason] });
  }
}

const want = ({ connectorId, orgId }: store.Target, head: string | null): store.Wanted => ({
  id: newId("syn"),
  connectorId,
  orgId,
  head,
});

const syncTopic = "connectors.sync";

/** Tells workers of work that is committed; who misses it finds the work by looking. */
export const announce = ({ bus, db }: Pick<Platform, "bus" | "db">, connectorIds: readonly string[]) =>
  bus.publish(db, syncTopic, ...connectorIds);

export { hold, pushTarget, queuePushes, type Target, touchSecret, touchSecrets } from "./store.ts";
