import type { MemberId, OrgId } from "../../../platform/context.ts";
import { type Db, leaseConditions, reuseStatement, type Sql, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import {
  customRole,
  isActiveMember,
  type MembershipRow,
  membershipColumns,
  recordUseAcrossOrganizations,
} from "../../credentials/index.ts";
import type { Reach } from "../runs/index.ts";
import type { Held, Runner, Waiting } from "./contract.ts";

export type RunnerId = Id<"rnr">;

const lease = leaseConditions(sql`r.`);

export interface RunnerDescription {
  name: string;
  platform: string | null;
  version: string | null;
  concurrency: number;
  serves: "own" | "organization";
}

/** Adds a runner, or updates the runner with the same name. */
export const save = (db: Db, orgId: OrgId, memberId: MemberId, id: RunnerId, self: RunnerDescription) =>
  db.row<{ id: RunnerId }>(sql`
    insert into automation_runners (id, org_id, member_id, name, platform, version, concurrency, serves)
    values (${id}, ${orgId}, ${memberId}, ${self.name}, ${self.platform}, ${self.version}, ${self.concurrency},
      ${self.serves})
    on conflict (member_id, name) do update set platform = excluded.platform, version = excluded.version,
      concurrency = excluded.concurrency, serves = excluded.serves, last_seen_at = now()
    returning id`);

export const exists = async (db: Db, orgId: OrgId, memberId: MemberId, name: string): Promise<boolean> =>
  (await db.row(sql`
    select from automation_runners where org_id = ${orgId} and member_id = ${memberId} and name = ${name}`)) !==
  undefined;

/** Deletes all but the newest `keep` tokens of a runner. Each start creates a token, so a restart loop adds many. */
export const endOldTokens = (db: Db, orgId: OrgId, runnerId: RunnerId, keep: number) =>
  db.run(sql`
    delete from automation_runner_tokens t using automation_runners r
    where r.id = ${runnerId} and r.org_id = ${orgId} and t.runner_id = r.id and t.token_hash in (
      select old.token_hash from automation_runner_tokens old where old.runner_id = ${runnerId}
      order by old.expires_at desc offset ${keep}::int)`);

/** Returns when the token expires. */
export const addToken = (
  db: Db,
  orgId: OrgId,
  runnerId: RunnerId,
  token: {
    hash: string;
    permissions: readonly string[];
    keyId: string | null;
    workerId: string | null;
    hours: number;
  },
) =>
  db.row<{ expiresAt: number }>(sql`
    insert into automation_runner_tokens (token_hash, runner_id, permissions, key_id, worker_id, expires_at)
    select ${token.hash}, r.id, ${token.permissions}::text[], ${token.keyId}, ${token.workerId},
      now() + make_interval(hours => ${token.hours}::int)
    from automation_runners r where r.id = ${runnerId} and r.org_id = ${orgId}
    returning expires_at as "expiresAt"`);

/** The runner of a worker acts only for the member that the worker acts for at this moment. */
const selectByHash = reuseStatement(
  (tokenHash: string) => sql`
    select n.id, t.permissions, coalesce(t.key_id, t.worker_id) as "madeWith",
      coalesce(w.drain_requested_at is not null
        or (w.paused_at is not null and (w.paused_until is null or w.paused_until > now())), false) as "takesNoWork",
      ${membershipColumns}
    from automation_runner_tokens t
    join automation_runners n on n.id = t.runner_id
    join members m on m.id = n.member_id and m.org_id = n.org_id
    left join api_keys k on k.id = t.key_id
    left join workers w on w.id = t.worker_id ${customRole}
    where t.token_hash = ${tokenHash} and t.expires_at > now() and (k.expires_at is null or k.expires_at > now())
      and (t.worker_id is null or w.member_id = n.member_id) and ${isActiveMember}`,
);

interface RunnerByToken extends MembershipRow {
  id: RunnerId;
  permissions: string[];
  /** The key or worker that the token was made with. */
  madeWith: string | null;
  /** The worker that hosts the runner is paused, or drains. */
  takesNoWork: boolean;
}

export const findRunnerByToken = (db: Db, tokenHash: string) =>
  db.row<RunnerByToken>(selectByHash(tokenHash));

export const recordRunnerUseAcrossOrganizations = (db: Db, ids: readonly string[]) =>
  recordUseAcrossOrganizations(db, { table: sql`automation_runners`, set: sql`last_seen_at = now()` }, ids);

/** `memberId` null: of every member. */
export const list = (db: Db, orgId: OrgId, memberId: string | null, after: string, limit: number) =>
  db.rows<Runner>(sql`
    select n.id, n.name as "runnerId", n.member_id as "memberId", n.platform, n.version, n.concurrency, n.serves,
      (select count(*)::int from automation_runs r
        where r.org_id = n.org_id and r.status = 'running' and r.holder = n.id) as running,
      n.last_seen_at as "lastSeenAt", n.created_at as "createdAt"
    from automation_runners n
    where n.org_id = ${orgId} and (${memberId}::text is null or n.member_id = ${memberId})
      and n.id < ${after}
    order by n.id desc limit ${limit}`);

export const remove = (db: Db, orgId: OrgId, memberId: string | null, id: RunnerId) =>
  db.run(sql`
    delete from automation_runners
    where org_id = ${orgId} and id = ${id} and (${memberId}::text is null or member_id = ${memberId})`);

export const findServes = async (db: Db, orgId: OrgId, id: string) =>
  (
    await db.row<Pick<RunnerDescription, "serves">>(
      sql`select serves from automation_runners where org_id = ${orgId} and id = ${id}`,
    )
  )?.serves;

/** Runs that wait for a runner, oldest first. `memberId` null: of every member. */
export const listWaiting = (
  db: Db,
  orgId: OrgId,
  memberId: string | null,
  since: number | null,
  limit: number,
) =>
  db.rows<Waiting>(sql`
    select r.id as "runId", r.automation_id as "automationId", v.name as "automationName",
      r.attempt + 1 as attempt, r.queued_at as "queuedAt"
    from automation_runs r
    join automation_revisions v on v.automation_id = r.automation_id and v.revision = r.revision
    where r.org_id = ${orgId} and r.status = 'queued' and (${memberId}::text is null or r.member_id = ${memberId})
      and (${since}::bigint is null or r.queued_at > to_timestamp(${since}::bigint / 1000.0))
    order by r.queued_at, r.id limit ${limit}`);

/** The runs that the runner holds and may still read. Its member may have lost permissions since the claim. */
export const listHeld = (db: Db, orgId: OrgId, reach: Reach, holder: string) =>
  db.rows<Held & { cancelRequestedAt: number | null }>(sql`
    select r.id as "runId", r.attempt, r.lease_expires_at as "leaseExpiresAt",
      r.cancel_requested_at is not null as "cancelRequested", r.cancel_requested_at as "cancelRequestedAt"
    from automation_runs r
    where r.org_id = ${orgId} and r.status = 'running' and ${lease.isHeldBy(holder)} and ${lease.isLive}
      and (${reach}::text is null or r.member_id = ${reach})
    order by r.id limit 100`);

export const removeExpiredTokensAcrossOrganizations = (db: Db) =>
  db.run(sql`delete from automation_runner_tokens where expires_at < now()`);

/** `members` is a condition on the members whose tokens are deleted. Returns a row for each. The runners stay. */
export const removeRunnerTokensAcrossOrganizations = (db: Db, members: Sql) =>
  db.rows<{ orgId: OrgId; memberId: MemberId }>(sql`
    delete from automation_runner_tokens t using automation_runners n join members m on m.id = n.member_id
    where n.id = t.runner_id and ${members}
    returning n.org_id as "orgId", n.member_id as "memberId"`);

/** The runner of a worker has the id of the worker as its name. */
export const removeByWorker = (tx: Db, orgId: OrgId, workerId: string) =>
  tx.run(sql`delete from automation_runners where org_id = ${orgId} and name = ${workerId}`);
