import type { OrgId, UserId } from "../../platform/context.ts";
import { type Db, join, nothing, sql } from "../../platform/db/index.ts";
import type { Id } from "../../platform/ids.ts";
import type { Chain, Filter } from "./contract.ts";
import { canonical, type Entry } from "./entry.ts";

export type AuditId = Id<"aud">;

/** The chain of what belongs to no organization. */
const instanceScope = "instance";

/** Where a chain begins. */
const origin = "0".repeat(64);

/**
 * Adds an entry to the end of its chain, in one statement: the chain's row is locked and moved on, and
 * the entry takes its place and its hash from it.
 */
export const append = (db: Db, orgId: OrgId | null, entry: Entry) => {
  const text = canonical(entry);
  return db.run(sql`
    with chain as (
      insert into audit_chains as c (scope, org_id, seq, previous, hash)
      values (${orgId ?? instanceScope}, ${orgId}, 1, decode(${origin}, 'hex'),
        sha256(decode(${origin}, 'hex') || convert_to('1 ' || ${text}::text, 'UTF8')))
      on conflict (scope) do update set seq = c.seq + 1, previous = c.hash,
        hash = sha256(c.hash || convert_to((c.seq + 1)::text || ' ' || ${text}::text, 'UTF8'))
      returning scope, seq, previous, hash
    )
    insert into audit_events (scope, seq, id, at, action, actor_user_id, actor_member_id, actor_name, credential,
      credential_id, address, user_agent, request_id, target_type, target_id, before, after, previous, hash)
    select scope, seq, ${entry.id}, to_timestamp(${entry.at}::bigint / 1000.0), ${entry.action}, ${entry.actorUserId},
      ${entry.actorMemberId}, ${entry.actorName}, ${entry.credential}, ${entry.credentialId}, ${entry.address},
      ${entry.userAgent}, ${entry.requestId}, ${entry.targetType}, ${entry.targetId}, ${entry.before}::text::json,
      ${entry.after}::text::json, previous, hash
    from chain`);
};

export const nameOf = (db: Db, userId: UserId) =>
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

export const list = (db: Db, orgId: OrgId, filter: Filter, after: string, limit: number) =>
  db.rows<Row>(sql`
    select ${columns} from audit_events where scope = ${orgId} and id < ${after} ${where(filter)}
    order by id desc limit ${limit}`);

/** In the order of the chain. */
export const listUp = (db: Db, orgId: OrgId, filter: Filter, after: number, limit: number) =>
  db.rows<Row>(sql`
    select ${columns} from audit_events where scope = ${orgId} and seq > ${after} ${where(filter)}
    order by seq limit ${limit}`);

function where({ action, actorId, credential, targetType, targetId, from, to }: Filter) {
  const parts = [
    action === undefined
      ? undefined
      : action.includes(".")
        ? sql`action = ${action}`
        : sql`action > ${`${action}.`} and action < ${`${action}/`}`,
    actorId === undefined
      ? undefined
      : actorId.startsWith("mem_")
        ? sql`actor_member_id = ${actorId}`
        : sql`actor_user_id = ${actorId}`,
    credential === undefined ? undefined : sql`credential = ${credential}`,
    targetType === undefined ? undefined : sql`target_type = ${targetType}`,
    targetId === undefined ? undefined : sql`target_id = ${targetId}`,
    from === undefined ? undefined : sql`at >= to_timestamp(${from}::bigint / 1000.0)`,
    to === undefined ? undefined : sql`at < to_timestamp(${to}::bigint / 1000.0)`,
  ].filter((part) => part !== undefined);
  return parts.length ? sql`and ${join(parts, " and ")}` : nothing;
}

export const find = (db: Db, orgId: OrgId, id: AuditId) =>
  db.row<Row>(sql`select ${columns} from audit_events where scope = ${orgId} and id = ${id}`);

const chainColumns = sql`seq as sequence, encode(hash, 'hex') as hash, pruned_seq as "prunedSequence",
  retention_days as "retentionDays"`;

export const findChain = (db: Db, orgId: OrgId) =>
  db.row<Chain>(sql`select ${chainColumns} from audit_chains where scope = ${orgId}`);

export const setRetention = (db: Db, orgId: OrgId, days: number) =>
  db.run(sql`update audit_chains set retention_days = ${days} where scope = ${orgId}`);

export interface ChainRow extends Chain {
  scope: string;
  prunedHash: string;
}

export const listChainsOfAll = (db: Db, after: string, limit: number) =>
  db.rows<ChainRow>(sql`
    select scope, ${chainColumns}, encode(pruned_hash, 'hex') as "prunedHash" from audit_chains
    where scope > ${after} order by scope limit ${limit}`);

/** A stretch of any chain, for whoever checks it. */
export const listChainOfAll = (db: Db, scope: string, after: number, upTo: number, limit: number) =>
  db.rows<Row>(sql`
    select ${columns} from audit_events where scope = ${scope} and seq > ${after} and seq <= ${upTo}
    order by seq limit ${limit}`);

export const countBeyondOfAll = (db: Db, scope: string, seq: number, pruned: number) =>
  db.row<{ count: number }>(sql`
    select count(*) as count from audit_events where scope = ${scope} and (seq > ${seq} or seq <= ${pruned})`);

/** Chains with entries whose time is over. */
export const listOverdueOfAll = (db: Db, limit: number) =>
  db.rows<{ scope: string }>(sql`
    select c.scope from audit_chains c where exists (
      select 1 from audit_events e where e.scope = c.scope
        and e.at < now() - make_interval(days => c.retention_days))
    order by c.scope limit ${limit}`);

/**
 * Removes the oldest entries of a chain whose time is over, some at a time, and remembers the last one's
 * hash: the rest of the chain hangs on it. Gives how many there were.
 */
export async function pruneOfAll(tx: Db, scope: string, limit: number): Promise<number> {
  await tx.run(sql`select 1 from audit_chains where scope = ${scope} for update`);
  await tx.run(sql`select set_config('signalbox.audit_prune', 'on', true)`);
  return tx.run(sql`
    with chain as (
      select pruned_seq, now() - make_interval(days => retention_days) as since
      from audit_chains where scope = ${scope}
    ), last as (
      -- Clocks may have gone back: what goes is an unbroken stretch from the beginning.
      select e.seq, e.hash from audit_events e, chain
      where e.scope = ${scope} and e.seq <= pruned_seq + ${limit} and e.seq < coalesce((
        select min(seq) from audit_events where scope = ${scope} and at >= since), pruned_seq + ${limit} + 1)
      order by e.seq desc limit 1
    ), anchored as (
      update audit_chains set pruned_seq = last.seq, pruned_hash = last.hash from last where scope = ${scope}
    )
    delete from audit_events using last where scope = ${scope} and audit_events.seq <= last.seq`);
}
