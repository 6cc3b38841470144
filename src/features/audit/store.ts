import type { OrgId, UserId } from "../../platform/context.ts";
import {
  type Batch,
  type Db,
  emptySql,
  filterOrder,
  join,
  listSource,
  pageBytes,
  type Sql,
  sql,
} from "../../platform/db/index.ts";
import { type Id, idsBetween } from "../../platform/ids.ts";
import type { Chain, Filter } from "./contract.ts";
import type { Entry } from "./entry.ts";

export type AuditId = Id<"aud">;

/** The chain of changes that belong to no organization. */
export const instanceScope = "instance";

/** Where a chain begins. */
const originHash = "0".repeat(64);

/** The end of a chain, with every field that the signature covers. */
export interface Head {
  scope: string;
  sequence: number;
  hash: string;
  prunedSequence: number;
  prunedHash: string;
  prunedAt: number | null;
  retentionDays: number;
  startedLate: boolean;
  signature: string | null;
}

const headColumns = sql`scope, seq as sequence, encode(hash, 'hex') as hash, pruned_seq as "prunedSequence",
  encode(pruned_hash, 'hex') as "prunedHash", pruned_at as "prunedAt", retention_days as "retentionDays",
  started_late as "startedLate", signature`;

/** Every change of a chain locks its row first, so the chain has the order of the commits. */
export const lockHeadAcrossOrganizations = (tx: Db, scope: string) =>
  tx.row<Head>(sql`select ${headColumns} from audit_chains where scope = ${scope} for update`);

export const findHeadAcrossOrganizations = (db: Db, scope: string) =>
  db.row<Head>(sql`select ${headColumns} from audit_chains where scope = ${scope}`);

/** Inserts an empty chain. Returns undefined when another transaction has just started it. */
export const startChain = (tx: Db, orgId: OrgId | null, startedLate: boolean) =>
  tx.row<Head>(sql`
    insert into audit_chains (scope, org_id, seq, previous, hash, started_late)
    values (${orgId ?? instanceScope}, ${orgId}, 0, decode(${originHash}, 'hex'), decode(${originHash}, 'hex'), ${startedLate})
    on conflict (scope) do nothing returning ${headColumns}`);

/** True when an account is older than an hour: then the instance's chain should have existed before. */
export const hasEarlierUsers = async (db: Db): Promise<boolean> =>
  (await db.row(
    sql`select 1 from users where not provisional and created_at < now() - interval '1 hour' limit 1`,
  )) !== undefined;

/** Adds an entry to its chain. `head` already includes the entry; the caller holds the lock of its row. */
export const append = (tx: Db, head: Head, previousHash: string, entry: Entry) =>
  tx.run(sql`
    with chain as (
      update audit_chains set seq = ${head.sequence}, previous = decode(${previousHash}, 'hex'),
        hash = decode(${head.hash}, 'hex'), signature = ${head.signature}
      where scope = ${head.scope}
      returning scope, seq, previous, hash
    )
    insert into audit_events (scope, seq, id, at, action, actor_user_id, actor_member_id, actor_name, credential,
      credential_id, address, user_agent, request_id, target_type, target_id, before, after, previous, hash)
    select scope, seq, ${entry.id}, to_timestamp(${entry.at}::bigint / 1000.0), ${entry.action}, ${entry.actorUserId},
      ${entry.actorMemberId}, ${entry.actorName}, ${entry.credential}, ${entry.credentialId}, ${entry.address},
      ${entry.userAgent}, ${entry.requestId}, ${entry.targetType}, ${entry.targetId}, ${entry.before}::text::json,
      ${entry.after}::text::json, previous, hash
    from chain`);

/** Updates the fields of a head that can change without a new entry. */
export const saveHeadAcrossOrganizations = (tx: Db, head: Head) =>
  tx.run(sql`
    update audit_chains set pruned_seq = ${head.prunedSequence}, pruned_hash = decode(${head.prunedHash}, 'hex'),
      pruned_at = to_timestamp(${head.prunedAt}::bigint / 1000.0), retention_days = ${head.retentionDays},
      signature = ${head.signature}
    where scope = ${head.scope}`);

export const findUserName = (db: Db, userId: UserId) =>
  db.row<{ name: string }>(sql`select name from users where id = ${userId}`);

export const findMember = (db: Db, orgId: OrgId, id: string) =>
  db.row<{ userId: string; name: string }>(sql`
    select u.id as "userId", u.name from members m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.id = ${id}`);

const columns = sql`id, seq as sequence, at, action, actor_user_id as "actorUserId",
  actor_member_id as "actorMemberId", actor_name as "actorName", credential, credential_id as "credentialId",
  address, user_agent as "userAgent", request_id as "requestId", target_type as "targetType",
  target_id as "targetId", before::text as before, after::text as after,
  encode(previous, 'hex') as "previousHash", encode(hash, 'hex') as hash`;

export interface Row extends Entry {
  sequence: number;
  previousHash: string;
  hash: string;
}

export const list = (db: Db, orgId: OrgId, filter: Filter) => listByScope(db, orgId, filter);

/** `scope` is an organization, or the chain of the instance. */
export const listByScope = (db: Db, scope: OrgId | typeof instanceScope, filter: Filter) => {
  const { first = "", end } = idsBetween("aud", filter.from, filter.to);
  const next = ({ where, id, isWhole }: Range, after: string, count: Sql) => sql`
    select e.* from audit_events e where ${isWhole ? chooseChain(scope) : sql`e.scope = ${scope}`} ${where}
      and ${id} < ${end && end < after ? end : after} and ${id} >= ${first}
    order by ${isWhole ? sql`e.scope,` : emptySql} ${id} desc limit ${count}`;
  return listSource<Row>(db, {
    filtered: Object.values(filter).some((value) => value !== undefined),
    candidates: (after, count) => sql`
      select e.id, ${matchFilter(filter)} as matches from (${
        isGroupOnly(filter)
          ? sql`
            with recursive ${listGroupActions(scope, filter.action)}
            select e.* from actions a cross join lateral (
              ${next({ where: sql`and e.action = a.action`, id: filterOrder(sql`e.id`) }, after, count)}) e
            where a.action is not null order by e.id desc limit ${count}`
          : next(chooseRange(filter), after, count)
      }) e`,
    rows: (ids) => sql`select ${columns} from audit_events e where e.scope = ${scope} and e.id = any(${ids})`,
    bytes: sql`coalesce(octet_length(page.before), 0) + coalesce(octet_length(page.after), 0)`,
  });
};

/** Of the entries after one, up to `last`, those that match the filter and fit into about `pageBytes`. */
export async function listInChainOrder(
  db: Db,
  orgId: OrgId,
  filter: Filter,
  after: number,
  last: number,
): Promise<Batch<Row, number>> {
  const found = await db.rows<Row & { matching: number }>(sql`
    select ${columns}, e.matching from (
      select e.*, row_number() over page as place, count(*) over () as matching,
        sum(coalesce(octet_length(e.before::text), 0) + coalesce(octet_length(e.after::text), 0)) over page as bytes
      from audit_events e
      where e.scope = ${orgId} and e.seq > ${after}::bigint and e.seq <= ${last}::bigint and ${matchFilter(filter)}
      window page as (order by e.seq)) e
    where e.place = 1 or e.bytes <= ${pageBytes}::bigint
    order by e.seq`);
  const isFull = found.length < (found[0]?.matching ?? 0);
  return {
    rows: found.map(({ matching: _, ...row }) => row),
    next: isFull ? found.at(-1)!.sequence : last,
    isFull,
  };
}

/**
 * The chain of the instance is short beside the others. As a range of scopes, it can only be read from the index of
 * scopes; the planner could otherwise read the entries of all organizations by their ids.
 */
const chooseChain = (scope: string) =>
  scope === instanceScope ? sql`e.scope >= ${scope} and e.scope <= ${scope}` : sql`e.scope = ${scope}`;

interface Range {
  where: Sql;
  id: Sql;
  /** No condition has an index of its own. */
  isWhole?: true;
}

/** The condition that an index serves in list order. With several, the one that probably matches the fewest rows. */
function chooseRange({ action, actorId, credential, targetId, targetType }: Filter): Range {
  const id = filterOrder(sql`e.id`);
  if (targetId !== undefined) return { where: sql`and e.target_id = ${targetId}`, id };
  if (actorId !== undefined) return { where: filterByActor(actorId), id };
  if (action?.includes(".")) return { where: sql`and e.action = ${action}`, id };
  // Most entries are made with a session, so the index leaves them out.
  if (credential !== undefined && credential !== "session")
    return { where: sql`and e.credential = ${credential} and e.credential <> 'session'`, id };
  if (targetType !== undefined) return { where: sql`and e.target_type = ${targetType}`, id };
  return { where: emptySql, id: sql`e.id`, isWhole: true };
}

const filterByActor = (actorId: string) =>
  actorId.startsWith("mem_")
    ? sql`and e.actor_member_id = ${actorId}`
    : sql`and e.actor_user_id = ${actorId}`;

/** True for a group of actions with no other filter except times. Each action is a separate range of the index. */
const isGroupOnly = (filter: Filter): filter is Filter & { action: string } => {
  const { action, from: _, to: __, ...others } = filter;
  const alone = Object.values(others).every((value) => value === undefined);
  return alone && action !== undefined && !action.includes(".");
};

/** The actions of a group that occur. The query steps from one action to the next along the index. */
const listGroupActions = (scope: string, group: string) => {
  const next = (after: Sql) => sql`(
    select n.action from audit_events n
    where n.scope = ${scope} and n.action > ${after} and n.action < ${`${group}/`}
    order by n.scope, n.action limit 1)`;
  return sql`actions (action) as (
    select ${next(sql`${`${group}.`}`)} union all
    select ${next(sql`a.action`)} from actions a where a.action is not null)`;
};

function matchFilter({ action, actorId, credential, targetType, targetId, from, to }: Filter): Sql {
  const parts = [
    action === undefined
      ? undefined
      : action.includes(".")
        ? sql`e.action = ${action}`
        : sql`e.action > ${`${action}.`} and e.action < ${`${action}/`}`,
    actorId === undefined ? undefined : sql`true ${filterByActor(actorId)}`,
    credential === undefined ? undefined : sql`e.credential = ${credential}`,
    targetType === undefined ? undefined : sql`e.target_type = ${targetType}`,
    targetId === undefined ? undefined : sql`e.target_id = ${targetId}`,
    from === undefined ? undefined : sql`e.at >= to_timestamp(${from}::bigint / 1000.0)`,
    to === undefined ? undefined : sql`e.at < to_timestamp(${to}::bigint / 1000.0)`,
  ].filter((part) => part !== undefined);
  return parts.length ? join(parts, " and ") : sql`true`;
}

export const find = (db: Db, orgId: OrgId, id: AuditId) => findByScope(db, orgId, id);

/** An entry of the chain of the instance, which belongs to no organization. */
export const findInstanceEntryAcrossOrganizations = (db: Db, id: AuditId) =>
  findByScope(db, instanceScope, id);

const findByScope = (db: Db, scope: OrgId | typeof instanceScope, id: AuditId) =>
  db.row<Row>(sql`select ${columns} from audit_events where scope = ${scope} and id = ${id}`);

export const findChain = (db: Db, orgId: OrgId) =>
  db.row<Chain>(sql`
    select seq as sequence, encode(hash, 'hex') as hash, pruned_seq as "prunedSequence",
      retention_days as "retentionDays"
    from audit_chains where scope = ${orgId}`);

/** A chain as `verifyChains` lists it. */
export interface ListedChain extends Head {
  /** False when the organization of the chain does not exist. */
  hasOrganization: boolean;
}

export const listChainsAcrossOrganizations = (db: Db, after: string, limit: number, only?: string) =>
  db.rows<ListedChain>(sql`
    select ${headColumns}, scope = ${instanceScope} and org_id is null
      or org_id = scope and exists (select 1 from organizations o where o.id = c.scope) as "hasOrganization"
    from audit_chains c where scope > ${after} ${only === undefined ? emptySql : sql`and scope = ${only}`}
    order by scope limit ${limit}`);

/** Scopes that must have a chain but have none: organizations, and the instance once it has an account. */
export const listMissingChainsAcrossOrganizations = (db: Db, limit: number, only?: string) =>
  db.rows<{ scope: string }>(sql`
    select scope from (
      select o.id as scope from organizations o
      union all
      select ${instanceScope}::text where exists (select 1 from users where not provisional)
    ) expected
    where not exists (select 1 from audit_chains c where c.scope = expected.scope)
      ${only === undefined ? emptySql : sql`and scope = ${only}`}
    order by 1 limit ${limit}`);

/** Whether the scope is an organization that was deleted and has a mark. Its entries are removed with it. */
const isDeleted = (scope: Sql) => sql`(exists (select from organization_leftovers l where l.org_id = ${scope})
  and not exists (select from organizations o where o.id = ${scope}))`;

export const isDeletedAcrossOrganizations = async (db: Db, scope: string): Promise<boolean> =>
  (await db.row<{ isDeleted: boolean }>(sql`select ${isDeleted(sql`${scope}`)} as "isDeleted"`))!.isDeleted;

/**
 * Scopes that have entries but no chain. The query steps from scope to scope along the primary key. Entries of a deleted
 * organization are removed later.
 */
export const listStrayScopesAcrossOrganizations = (db: Db, limit: number, only?: string) =>
  db.rows<{ scope: string }>(sql`
    with recursive scopes as (
      select min(scope) as scope from audit_events
      union all
      select (select min(e.scope) from audit_events e where e.scope > s.scope) from scopes s where s.scope is not null
    )
    select scope from scopes
    where scope is not null and not exists (select 1 from audit_chains c where c.scope = scopes.scope)
      and not ${isDeleted(sql`scopes.scope`)}
      ${only === undefined ? emptySql : sql`and scope = ${only}`}
    order by 1 limit ${limit}`);

export const findLatestAcrossOrganizations = (db: Db, scope: string, action: string) =>
  db.row<Row>(sql`
    select ${columns} from audit_events where scope = ${scope} and action = ${action} order by seq desc limit 1`);

/** Removes a chain that was never pruned if each entry's actor, or its target when it has no actor, is in `about`. */
export const removeChainAcrossOrganizations = (tx: Db, scope: string, about: readonly string[]) =>
  tx.run(sql`
    delete from audit_chains c where c.scope = ${scope} and c.pruned_seq = 0 and not exists (
      select from audit_events e where e.scope = c.scope
        and not (coalesce(e.actor_user_id, e.target_id, '') = any(${about}::text[])))`);

/** A range of entries of any chain, for verification and pruning. */
export const listEntriesAcrossOrganizations = (
  db: Db,
  scope: string,
  after: number,
  upTo: number,
  limit: number,
) =>
  db.rows<Row>(sql`
    select ${columns} from audit_events where scope = ${scope} and seq > ${after} and seq <= ${upTo}
    order by seq limit ${limit}`);

export const countStrayEntriesAcrossOrganizations = (db: Db, { scope, sequence, prunedSequence }: Head) =>
  db.row<{ count: number }>(sql`
    select count(*) as count from audit_events
    where scope = ${scope} and (seq > ${sequence} or seq <= ${prunedSequence})`);

/** Chains with entries that are older than the retention at the time `now`. */
export const listOverdueAcrossOrganizations = (db: Db, now: number, after: string, limit: number) =>
  db.rows<{ scope: string }>(sql`
    select c.scope from audit_chains c where c.scope > ${after} and exists (
      select 1 from audit_events e where e.scope = c.scope
        and e.at < to_timestamp(${now}::bigint / 1000.0) - make_interval(days => c.retention_days))
    order by c.scope limit ${limit}`);

export const deleteEntriesAcrossOrganizations = (tx: Db, scope: string, upTo: number) =>
  withRemoval(tx, sql`delete from audit_events where scope = ${scope} and seq <= ${upTo}`);

/** Removes entries of an organization that was deleted, with its chain. Returns how many. */
export const removeSome = (db: Db, orgId: OrgId, limit: number): Promise<number> =>
  db.transaction((tx) =>
    withRemoval(
      tx,
      sql`
        delete from audit_events where scope = ${orgId}
          and not exists (select from organizations o where o.id = ${orgId})
          and not exists (select from audit_chains c where c.scope = ${orgId})
          and seq = any(array(
            select e.seq from audit_events e where e.scope = ${orgId} order by e.seq limit ${limit}))`,
    ),
  );

/** A trigger refuses all other removals. */
async function withRemoval(tx: Db, removal: Sql): Promise<number> {
  await tx.run(sql`select set_config('signalbox.audit_prune', 'on', true)`);
  const removed = await tx.run(removal);
  await tx.run(sql`select set_config('signalbox.audit_prune', '', true)`);
  return removed;
}
