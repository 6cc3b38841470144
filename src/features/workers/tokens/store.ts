import type { OrgId } from "../../../platform/context.ts";
import { type Db, reuseStatement, type Sql, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { isSuspended } from "../../suspension/index.ts";
import type { WorkerToken } from "./contract.ts";

export type WorkerId = Id<"wrk">;
export type WorkerTokenId = Id<"wkt">;

export const insert = (
  db: Db,
  orgId: OrgId,
  workerId: WorkerId,
  token: { id: WorkerTokenId; start: string; tokenHash: string },
) =>
  db.run(sql`
    insert into worker_tokens (id, worker_id, org_id, start, token_hash)
    values (${token.id}, ${workerId}, ${orgId}, ${token.start}, ${token.tokenHash})`);

/** Earlier tokens stay valid for this long, and never longer than before. */
export const expire = (db: Db, orgId: OrgId, workerId: WorkerId, hours: number) =>
  db.run(sql`
    update worker_tokens set expires_at = least(expires_at, now() + make_interval(hours => ${hours}::int))
    where org_id = ${orgId} and worker_id = ${workerId} and (expires_at is null or expires_at > now())`);

export const list = (db: Db, orgId: OrgId, workerId: WorkerId) =>
  db.rows<WorkerToken>(sql`
    select id, start, expires_at as "expiresAt", created_at as "createdAt" from worker_tokens
    where org_id = ${orgId} and worker_id = ${workerId} and (expires_at is null or expires_at > now())
    order by id desc limit 20`);

/** Whether a token is valid at this moment. A transaction that waited may have begun before the token ended. */
export const isValid = async (tx: Db, orgId: OrgId, workerId: WorkerId, id: string): Promise<boolean> =>
  (await tx.row(sql`
    select 1 from worker_tokens where org_id = ${orgId} and worker_id = ${workerId} and id = ${id}
      and (expires_at is null or expires_at > clock_timestamp())`)) !== undefined;

const selectByHashes = reuseStatement(
  (hashes: readonly string[]) => sql`
    select t.token_hash as hash, t.id, t.worker_id as "workerId", t.org_id as "orgId",
      ${isSuspended(sql`t.org_id`)} as "isSuspended"
    from worker_tokens t
    where t.token_hash = any(${hashes}::text[]) and (t.expires_at is null or t.expires_at > now())`,
);

export interface FoundToken {
  hash: string;
  id: WorkerTokenId;
  workerId: WorkerId;
  orgId: OrgId;
  isSuspended: boolean;
}

export const findWorkersByToken = (db: Db, hashes: readonly string[]) =>
  db.rows<FoundToken>(selectByHashes(hashes));

/** The workers of these members host no runner until another member takes them over. Nothing is counted. */
export const endRunnersAcrossOrganizations = async (db: Db, members: Sql) => {
  await db.run(sql`
    update workers w set member_id = null, runner_permissions = '{}' from members m
    where w.member_id = m.id and ${members}`);
  return [];
};

export const removeExpiredTokensAcrossOrganizations = (db: Db) =>
  db.run(sql`delete from worker_tokens where expires_at < now() - interval '7 days'`);
