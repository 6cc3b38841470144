import type { MemberId, OrgId } from "../../../platform/context.ts";
import { type Db, reuseStatement, type Sql, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { isActiveMember } from "../../credentials/index.ts";
import { isSuspended } from "../../suspension/index.ts";
import type { RegistrationToken } from "./contract.ts";

export type RegistrationTokenId = Id<"wrt">;

const columns = sql`t.id, t.name, t.kind, t.labels, t.template_ids as "templateIds",
  t.connection_ids as "connectionIds", t.llm_provider_ids as "llmProviderIds",
  t.mcp_connection_ids as "mcpConnectionIds", t.member_id as "ownerId", t.uses, t.max_uses as "maxUses",
  t.expires_at as "expiresAt",
  (select coalesce(json_agg(json_build_object('start', x.start,
      'expiresAt', floor(extract(epoch from x.expires_at) * 1000),
      'createdAt', floor(extract(epoch from x.created_at) * 1000)) order by x.created_at desc), '[]')
    from worker_registration_secrets x
    where x.token_id = t.id and (x.expires_at is null or x.expires_at > now())) as secrets,
  t.created_at as "createdAt"`;

export const list = (db: Db, orgId: OrgId, after: string, limit: number) =>
  db.rows<RegistrationToken>(sql`
    select ${columns} from worker_registration_tokens t where t.org_id = ${orgId} and t.id < ${after}
    order by t.id desc limit ${limit}`);

export const find = (db: Db, orgId: OrgId, id: string) =>
  db.row<RegistrationToken>(
    sql`select ${columns} from worker_registration_tokens t where t.org_id = ${orgId} and t.id = ${id}`,
  );

/** The token and the permissions that its workers get. Locks it, so that the last use is not taken twice. */
export const lock = async (tx: Db, orgId: OrgId, id: string) => {
  const locked = await tx.row<{ permissions: string[] }>(sql`
    select runner_permissions as permissions from worker_registration_tokens
    where org_id = ${orgId} and id = ${id} for update`);
  const token = locked && (await find(tx, orgId, id));
  return locked && token ? { ...token, permissions: locked.permissions } : undefined;
};

interface NewToken {
  id: RegistrationTokenId;
  name: string;
  kind: string;
  labels: readonly string[];
  templateIds: readonly string[];
  connectionIds: readonly string[];
  llmProviderIds: readonly string[];
  mcpConnectionIds: readonly string[];
  memberId: MemberId;
  permissions: readonly string[];
  maxUses: number | null;
  expiresAt: number | null;
}

export const insert = (tx: Db, orgId: OrgId, next: NewToken) =>
  tx.run(sql`
    insert into worker_registration_tokens (id, org_id, member_id, name, kind, labels, template_ids, connection_ids,
      llm_provider_ids, mcp_connection_ids, runner_permissions, max_uses, expires_at)
    values (${next.id}, ${orgId}, ${next.memberId}, ${next.name}, ${next.kind}, ${next.labels}::text[],
      ${next.templateIds}::text[], ${next.connectionIds}::text[], ${next.llmProviderIds}::text[],
      ${next.mcpConnectionIds}::text[], ${next.permissions}::text[], ${next.maxUses}::int, to_timestamp(${next.expiresAt}::bigint / 1000.0))`);

export const insertSecret = (tx: Db, orgId: OrgId, id: string, secret: { hash: string; start: string }) =>
  tx.run(sql`
    insert into worker_registration_secrets (token_hash, token_id, org_id, start)
    values (${secret.hash}, ${id}, ${orgId}, ${secret.start})`);

/** Earlier secrets stay valid for this long, and never longer than before. */
export const expireSecrets = (tx: Db, orgId: OrgId, id: string, hours: number) =>
  tx.run(sql`
    update worker_registration_secrets
    set expires_at = least(expires_at, now() + make_interval(hours => ${hours}::int))
    where org_id = ${orgId} and token_id = ${id} and (expires_at is null or expires_at > now())`);

export const setOwner = (
  tx: Db,
  orgId: OrgId,
  id: string,
  memberId: MemberId,
  permissions: readonly string[],
) =>
  tx.run(sql`
    update worker_registration_tokens set member_id = ${memberId}, runner_permissions = ${permissions}::text[]
    where org_id = ${orgId} and id = ${id}`);

/** What the workers that have registered with the token were given since. */
export const listGivenToWorkers = async (tx: Db, orgId: OrgId, id: string) =>
  (await tx.row<Pick<RegistrationToken, "llmProviderIds" | "templateIds">>(sql`
    select array(select distinct g.provider_id from llm_provider_grants g join workers w on w.id = g.worker_id
        where w.org_id = ${orgId} and w.registration_token_id = ${id}) as "llmProviderIds",
      array(select distinct unnest(w.template_ids) from workers w
        where w.org_id = ${orgId} and w.registration_token_id = ${id}) as "templateIds"`))!;

export const countUse = (tx: Db, orgId: OrgId, id: string) =>
  tx.run(sql`update worker_registration_tokens set uses = uses + 1 where org_id = ${orgId} and id = ${id}`);

export const remove = (tx: Db, orgId: OrgId, id: string) =>
  tx.run(sql`delete from worker_registration_tokens where org_id = ${orgId} and id = ${id}`);

const selectByHash = reuseStatement(
  (tokenHash: string) => sql`
    select t.id, x.start, t.org_id as "orgId", ${isSuspended(sql`t.org_id`)} as "isSuspended"
    from worker_registration_secrets x
    join worker_registration_tokens t on t.id = x.token_id
    join members m on m.id = t.member_id and m.org_id = t.org_id
    where x.token_hash = ${tokenHash} and (x.expires_at is null or x.expires_at > now())
      and (t.expires_at is null or t.expires_at > now()) and ${isActiveMember}`,
);

export const findByToken = (db: Db, tokenHash: string) =>
  db.row<{ id: RegistrationTokenId; start: string; orgId: OrgId; isSuspended: boolean }>(
    selectByHash(tokenHash),
  );

/** Whether a secret is valid at this moment. A transaction that waited may have begun before the secret ended. */
export const isValidSecret = async (tx: Db, orgId: OrgId, id: string, start: string): Promise<boolean> =>
  (await tx.row(sql`
    select 1 from worker_registration_secrets where org_id = ${orgId} and token_id = ${id} and start = ${start}
      and (expires_at is null or expires_at > clock_timestamp())`)) !== undefined;

/** `members` is a condition on the members whose tokens are deleted. Returns a row for each. */
export const removeOfMembersAcrossOrganizations = (db: Db, members: Sql) =>
  db.rows<{ orgId: OrgId; memberId: MemberId }>(sql`
    delete from worker_registration_tokens t using members m where m.id = t.member_id and ${members}
    returning t.org_id as "orgId", t.member_id as "memberId"`);

export const removeExpiredAcrossOrganizations = (db: Db) =>
  db.run(sql`delete from worker_registration_secrets where expires_at < now() - interval '7 days'`);

export const listExistingProviders = async (
  db: Db,
  orgId: OrgId,
  ids: readonly string[],
): Promise<string[]> =>
  (
    await db.rows<{ id: string }>(
      sql`select id from llm_providers where org_id = ${orgId} and id = any(${ids}::text[]) order by id`,
    )
  ).map(({ id }) => id);
