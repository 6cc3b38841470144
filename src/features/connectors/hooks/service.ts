import type { Bus } from "../../../platform/bus.ts";
import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { recordAsSystem } from "../../audit/index.ts";
import { isRepositoryName } from "../address.ts";
import type { Audience, News } from "./news.ts";
import * as store from "./store.ts";

export interface HookSecret {
  id: string;
  secret: string;
}

export interface HookSecrets {
  /** Undefined when there is no such connector. */
  orgId: OrgId | undefined;
  secrets: readonly HookSecret[];
}

/** How long a secret that was taken away may still be good for. */
const rememberMs = 900;
const maxRemembered = 5_000;
interface Remembered {
  found: Promise<HookSecrets>;
  until: number;
}
const remembered = new WeakMap<Bus, Map<string, Remembered>>();

/** What no connector is also remembered, so that knocking again takes as long in both cases. */
export function secretsOf(
  platform: Pick<Platform, "bus" | "db" | "keyring">,
  id: string,
): Promise<HookSecrets> {
  const known = remembered.get(platform.bus) ?? new Map<string, Remembered>();
  remembered.set(platform.bus, known);
  const now = performance.now();
  const entry = known.get(id);
  if (entry && entry.until > now) return entry.found;
  if (known.size >= maxRemembered) known.clear();
  const fresh = { found: findSecrets(platform, id), until: now + rememberMs };
  known.set(id, fresh);
  fresh.found.catch(() => known.delete(id));
  return fresh.found;
}

async function findSecrets(
  { db, keyring }: Pick<Platform, "db" | "keyring">,
  connectorId: string,
): Promise<HookSecrets> {
  if (!isId("con", connectorId)) return { orgId: undefined, secrets: [] };
  const rows = await store.findSecretsByToken(db, connectorId);
  return {
    orgId: rows[0]?.orgId,
    secrets: rows.flatMap(({ id, secret }) =>
      id !== null && secret !== null
        ? [{ id, secret: keyring.open(secret, { table: "connector_secrets", row: id, column: "secret" }) }]
        : [],
    ),
  };
}

/** Why a connector is disconnected, where a code host said so. */
export const endings = {
  installationDeleted: "installation_deleted",
  installationSuspended: "installation_suspended",
  repositoryRemoved: "repository_removed",
  repositoryDeleted: "repository_deleted",
} as const;

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

/** Does what follows from the news, in the transaction that records it. `again`: it had been done before. */
export async function follow(
  { bus }: Pick<Platform, "bus">,
  tx: Db,
  news: News,
  targets: readonly store.Target[],
  again: boolean,
): Promise<Queued> {
  const wanted = await changeConnectors(tx, news, targets, again);
  if (news.is !== "push" && !again) {
    // Of an installation's repositories an organization need not have heard.
    const after = { ...news, repositories: undefined };
    // The log of each organization is held until the end: by all in one order, so that no two wait for each other.
    for (const { orgId, connectorId } of targets.toSorted((a, b) => (a.orgId < b.orgId ? -1 : 1))) {
      const target = { type: "connector", id: connectorId };
      await recordAsSystem(tx, orgId, { action: "connector.told_by_code_host", target, after });
    }
  }
  if (wanted.length === 0) return new Map();
  const queued = await store.queueOfAll(tx, wanted, news.is === "push" ? "push" : "event", again);
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
    if (news.to === null) await store.disconnectOfAll(tx, targets, endings.repositoryDeleted);
    else if (isRepositoryName(news.to)) await store.renameOfAll(tx, targets, news.repository, news.to);
    return [];
  }
  switch (news.change) {
    case "deleted":
      await store.disconnectOfAll(tx, targets, endings.installationDeleted);
      return [];
    case "suspended":
      await store.disconnectOfAll(tx, targets, endings.installationSuspended);
      return [];
    case "removed":
      await store.disconnectOfAll(tx, targets, endings.repositoryRemoved);
      return [];
    default: {
      const reason = news.change === "added" ? endings.repositoryRemoved : endings.installationSuspended;
      const back = new Set((await store.reconnectOfAll(tx, targets, reason)).map((one) => one.connectorId));
      return targets.filter(({ connectorId }) => back.has(connectorId)).map((target) => want(target, null));
    }
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
