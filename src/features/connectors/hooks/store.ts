import type { OrgId } from "../../../platform/context.ts";
import { type Db, nothing, raw, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import type { Audience } from "./news.ts";

export type ConnectorId = Id<"con">;
export type SyncId = Id<"syn">;

/** The secrets that a connector's hooks may be signed with. The id in the URL is not secret; what it leads to is. */
export const findSecretsByToken = (db: Db, connectorId: ConnectorId) =>
  db.rows<{ orgId: OrgId; id: string | null; secret: string | null }>(sql`
    select c.org_id as "orgId", s.id, s.secret from connectors c
    left join connector_secrets s on s.connector_id = c.id
    where c.id = ${connectorId} order by s.id desc limit 5`);

/** A connector that the news is about. */
export interface Target {
  connectorId: ConnectorId;
  orgId: OrgId;
  ref: string;
  installationId: string | null;
  cloneUrl: string;
}

const target = sql`c.id as "connectorId", c.org_id as "orgId", c.ref, c.installation_id as "installationId",
  c.clone_url as "cloneUrl"`;

/** `c` is a connector that this can be about. */
const among = ({ codehosts, connectorId, orgId }: Audience) => sql`
  c.codehost = any(${codehosts}::text[])
  ${connectorId === null ? nothing : sql`and c.id = ${connectorId}`}
  ${orgId === null ? nothing : sql`and c.org_id = ${orgId}`}`;

/** Kept until the transaction ends: nobody removes one of them in between. */
export const listByRefOfAll = (db: Db, audience: Audience, repository: string, refs: readonly string[]) =>
  db.rows<Target>(sql`
    select ${target} from connectors c
    where c.repository_key = ${repository.toLowerCase()} and c.ref = any(${refs}::text[])
      and c.status = 'active' and ${among(audience)}
    order by c.id for key share`);

/** All that the repository's name leads to, whatever their state: a name is what it is. */
export const listByRepositoryOfAll = (db: Db, audience: Audience, repository: string) =>
  db.rows<Target>(sql`
    select ${target} from connectors c
    where c.repository_key = ${repository.toLowerCase()} and ${among(audience)}
    order by c.id for no key update`);

/** `repositories` null: every one of the installation. */
export const listByInstallationOfAll = (
  db: Db,
  audience: Audience,
  installationId: string,
  repositories: readonly string[] | null,
) =>
  db.rows<Target>(sql`
    select ${target} from connectors c
    where c.installation_id = ${installationId} and ${among(audience)}
      ${
        repositories === null
          ? nothing
          : sql`and c.repository_key = any(${repositories.map((name) => name.toLowerCase())}::text[])`
      }
    order by c.id for no key update`);

/** Whether it is there; if so, it stays until the transaction ends. */
export const hold = (db: Db, orgId: OrgId, id: ConnectorId) =>
  db.row<Target>(sql`
    select ${target} from connectors c where c.org_id = ${orgId} and c.id = ${id} for key share`);

const idsOf = (targets: readonly Target[]) => targets.map(({ connectorId }) => connectorId);

/** What a person switched off stays off; what had ended for another reason has this one now. */
export const disconnectOfAll = (db: Db, targets: readonly Target[], reason: string) =>
  db.rows<{ connectorId: ConnectorId; orgId: OrgId; syncedAt: number | null }>(sql`
    update connectors set status = 'disconnected', status_reason = ${reason}, updated_at = now()
    where id = any(${idsOf(targets)}::text[]) and status <> 'disabled'
    returning id as "connectorId", org_id as "orgId", synced_at as "syncedAt"`);

/** Those that had ended for this reason go on. */
export const reconnectOfAll = (db: Db, targets: readonly Target[], reason: string) =>
  db.rows<{ connectorId: ConnectorId }>(sql`
    update connectors set status = 'active', status_reason = null, updated_at = now()
    where id = any(${idsOf(targets)}::text[]) and status = 'disconnected' and status_reason = ${reason}
    returning id as "connectorId"`);

/** Null where the path does not end so. */
const movedUrl = (from: string, to: string) => sql`
  case when lower(right(clone_url, ${from.length}::int)) = ${from.toLowerCase()}
    and left(clone_url, ${-from.length}::int) ~ '^https?://[^/]+/([^/]+/)*$'
  then left(clone_url, ${-from.length}::int) || ${to}::text end`;

/**
 * The address moves along where its path ends in the old name; one that is written otherwise is left as it is.
 * The server stays whatever the names are: a connector's token is for that one alone.
 */
export const renameOfAll = (db: Db, targets: readonly Target[], from: string, to: string) =>
  db.run(sql`
    update connectors set repository = ${to}, repository_key = ${to.toLowerCase()}, updated_at = now(),
      clone_url = coalesce(${movedUrl(from, to)}, ${movedUrl(`${from}.git`, `${to}.git`)}, clone_url)
    where id = any(${idsOf(targets)}::text[])`);

/**
 * The syncs `s` of a connector, newest first. As a range, because for one value the planner would rather walk
 * through all syncs of everybody from the newest one back, and may walk far.
 */
const ofConnector = (id: "c.id" | "w.connector_id") => {
  const one = raw(id);
  return sql`s.connector_id between ${one} and ${one} order by s.connector_id, s.id desc`;
};

export interface Wanted {
  id: SyncId;
  connectorId: ConnectorId;
  orgId: OrgId;
  head: string | null;
}

/**
 * Work for these connectors, but none where the newest work is for that head already and has not failed.
 * `again`: only where the work for that head has failed, and the newest too. Gives what was queued.
 */
export const queueOfAll = (
  db: Db,
  wanted: readonly Wanted[],
  { cause, again, headUnproven }: { cause: "push" | "event"; again: boolean; headUnproven: boolean },
) =>
  db.rows<{ id: SyncId; connectorId: ConnectorId }>(sql`
    insert into connector_syncs (id, org_id, connector_id, head, head_unproven, cause)
    select w.id, w.org_id, w.connector_id, w.head, ${headUnproven}, ${cause}
    from unnest(${wanted.map(({ id }) => id)}::text[], ${wanted.map(({ orgId }) => orgId)}::text[],
      ${wanted.map(({ connectorId }) => connectorId)}::text[], ${wanted.map(({ head }) => head)}::text[])
      as w(id, org_id, connector_id, head)
    left join lateral (
      select head, status from connector_syncs s where ${ofConnector("w.connector_id")} limit 1) newest on true
    where ${
      again
        ? // Whatever came later reads the ref too, so only when that has failed as well is it still to be done.
          sql`newest.status = 'failed' and (
            select h.status from connector_syncs h
            where h.connector_id = w.connector_id and h.head is not distinct from w.head
            order by h.id desc limit 1) in ('failed', 'superseded')`
        : // Where no head is known, only work that has not begun is sure to find what there is now.
          sql`newest.status is null or newest.head is distinct from w.head or newest.status = 'failed'
            or (w.head is null and newest.status <> 'queued')`
    }
    order by w.connector_id, w.head
    on conflict (connector_id, head) where status in ('queued', 'running') and head is not null do nothing
    returning id, connector_id as "connectorId"`);

/**
 * For the one statement that records pushes: the connectors that a push `g` (repository_key, ref, head, codehosts,
 * installation_id, connector_id) can be about, how many of them it suits, and of the only one whether there is
 * something new to do. A question for each push, so that connectors are found by name and not all of them are read.
 */
export const pushTarget = sql`
  select count(*) as candidates, count(*) filter (where c.suits) as targets,
    min(c.id) filter (where c.suits) as target_connector_id,
    min(c.org_id) filter (where c.suits) as target_org_id,
    bool_or(newest.status is null or newest.head is distinct from g.head or newest.status = 'failed')
      filter (where c.suits) as is_new
  from (
    select id, org_id,
      installation_id is null or installation_id is not distinct from g.installation_id as suits
    from connectors
    where repository_key = g.repository_key and ref = g.ref and status = 'active'
      and codehost = any(string_to_array(g.codehosts, ' '))
      and (g.connector_id is null or id = g.connector_id)) c
  left join lateral (
    select head, status from connector_syncs s where ${ofConnector("c.id")} limit 1) newest on true`;

/** For the same statement: queues the syncs in `wanted` (sync_id, org_id, connector_id, head, head_unproven). */
export const queuePushes = sql`
  insert into connector_syncs (id, org_id, connector_id, head, head_unproven, cause)
  select sync_id, org_id, connector_id, head, head_unproven, 'push' from wanted
  order by connector_id, head
  on conflict (connector_id, head) where status in ('queued', 'running') and head is not null do nothing
  returning id`;

/** For the same statement: records when secrets were used, to the minute, so that few deliveries write it. */
export const touchSecrets = sql`
  update connector_secrets set last_used_at = now()
  where id = any(array(select secret_id from given))
    and (last_used_at is null or last_used_at < now() - interval '1 minute')`;

export const touchSecret = (db: Db, orgId: OrgId, id: string) =>
  db.run(sql`
    update connector_secrets set last_used_at = now() where org_id = ${orgId} and id = ${id}
      and (last_used_at is null or last_used_at < now() - interval '1 minute')`);
