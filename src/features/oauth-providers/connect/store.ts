import type { OrgId } from "../../../platform/context.ts";
import { type Db, formatArray, sql } from "../../../platform/db/index.ts";
import { smallestIdAt } from "../../../platform/ids.ts";
import { isSuspended } from "../../suspension/index.ts";
import { setupVersion } from "../clients/index.ts";
import type { ParsedState } from "./secrets.ts";

export interface NewAttempt {
  id: string;
  orgId: OrgId;
  stateHash: string;
  memberId: string;
  providerId: string;
  credentialsId: string;
  generation: number;
  /** The version of the setup that was read for this attempt. */
  version: string;
  shared: boolean;
  label: string;
  scopes: readonly string[];
  returnTo: string | null;
  /** The key that derives the secrets from the state. */
  keyId: string;
  credential: string;
  credentialId: string;
  minutes: number;
}

/**
 * Stores attempts, except those of members who were removed and those for a client that changed. Returns how many it stored.
 * The members are locked, because the table has no foreign key to them: a member stays until the attempt is committed.
 */
export const insertAcrossOrganizations = (db: Db, attempts: readonly NewAttempt[]) =>
  db.run(sql`
    insert into oauth_attempts (id, state_hash, org_id, member_id, provider_id, credentials_id, generation, shared, label,
      scopes, return_to, key_id, credential, credential_id, expires_at)
    select a.id, a.state_hash, a.org_id, a.member_id, a.provider_id, a.credentials_id, a.generation, a.shared, a.label,
      a.scopes, a.return_to, a.key_id, a.credential, a.credential_id, now() + make_interval(mins => a.minutes)
    -- In the from clause, each function would first store all of its rows.
    from (select
      unnest(${attempts.map(({ id }) => id)}::text[]) as id,
      unnest(${attempts.map(({ stateHash }) => stateHash)}::text[]) as state_hash,
      unnest(${attempts.map(({ orgId }) => orgId)}::text[]) as org_id,
      unnest(${attempts.map(({ memberId }) => memberId)}::text[]) as member_id,
      unnest(${attempts.map(({ providerId }) => providerId)}::text[]) as provider_id,
      unnest(${attempts.map(({ credentialsId }) => credentialsId)}::text[]) as credentials_id,
      unnest(${attempts.map(({ generation }) => generation)}::int[]) as generation,
      unnest(${attempts.map(({ version }) => version)}::text[]) as version,
      unnest(${attempts.map(({ shared }) => shared)}::boolean[]) as shared,
      unnest(${attempts.map(({ label }) => label)}::text[]) as label,
      unnest(${attempts.map(({ scopes }) => formatArray(scopes))}::text[])::text[] as scopes,
      unnest(${attempts.map(({ returnTo }) => returnTo)}::text[]) as return_to,
      unnest(${attempts.map(({ keyId }) => keyId)}::text[]) as key_id,
      unnest(${attempts.map(({ credential }) => credential)}::text[]) as credential,
      unnest(${attempts.map(({ credentialId }) => credentialId)}::text[]) as credential_id,
      unnest(${attempts.map(({ minutes }) => minutes)}::int[]) as minutes
    ) a
    join members m on m.id = a.member_id and m.org_id = a.org_id
    join oauth_clients c on c.org_id = a.org_id and c.provider_id = a.provider_id
    join oauth_client_credentials k on k.id = c.credentials_id
    left join oauth_providers p on p.org_id = a.org_id and p.id = a.provider_id
    where ${setupVersion} = a.version
    for key share of m`);

/** Returns which of these ids belong to a stored attempt. */
export const listExistingAcrossOrganizations = async (
  db: Db,
  ids: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = await db.rows<{ id: string }>(
    sql`select id from oauth_attempts where id = any(${ids}::text[])`,
  );
  return new Set(rows.map(({ id }) => id));
};

export interface Attempt {
  id: string;
  orgId: OrgId;
  memberId: string;
  userId: string;
  memberName: string;
  orgName: string;
  providerId: string;
  credentialsId: string;
  shared: boolean;
  label: string;
  scopes: string[];
  returnTo: string | null;
  keyId: string;
  credential: string;
  credentialId: string;
  tokenId: string | null;
  accountSubject: string | null;
  accountName: string | null;
}

const columns = sql`a.id, a.org_id as "orgId", a.member_id as "memberId", m.user_id as "userId", u.name as "memberName",
  o.name as "orgName", a.provider_id as "providerId", a.credentials_id as "credentialsId", a.shared, a.label, a.scopes,
  a.return_to as "returnTo", a.key_id as "keyId", a.credential, a.credential_id as "credentialId", a.token_id as "tokenId",
  a.account_subject as "accountSubject", a.account_name as "accountName"`;

const people = sql`members m join users u on u.id = m.user_id join organizations o on o.id = m.org_id`;

/** An attempt ends with the session or API key that started it, and with the access of its member. */
const isStarterValid = sql`not ${isSuspended(sql`a.org_id`)} and exists (
    select from members starter where starter.id = a.member_id and starter.deactivated_at is null)
  and case a.credential
    when 'session' then exists (select from sessions s where s.id = a.credential_id and s.expires_at > now())
    when 'key' then exists (
      select from api_keys k where k.id = a.credential_id and (k.expires_at is null or k.expires_at > now()))
    else true end`;

/** Valid only while its client is unchanged and no newer start or disconnect has replaced it. */
const isCurrent = sql`${isStarterValid} and exists (
    select from oauth_clients c where c.org_id = a.org_id and c.provider_id = a.provider_id
      and c.credentials_id = a.credentials_id and c.generation = a.generation)
  and not exists (
    select from oauth_attempts later where later.org_id = a.org_id and later.provider_id = a.provider_id
      and later.label = a.label and later.shared = a.shared and (a.shared or later.member_id = a.member_id)
      and later.id > a.id)
  and not exists (
    select from oauth_connections ended where ended.org_id = a.org_id and ended.provider_id = a.provider_id
      and ended.label = a.label and ended.shared = a.shared and (a.shared or ended.member_id = a.member_id)
      and ended.ended_at > a.created_at)`;

const isAttemptOf = ({ id, stateHash }: ParsedState) => sql`a.id = ${id} and a.state_hash = ${stateHash}`;

/** Uses up a state. Of several requests with the same state, one gets the attempt. */
export const useStateByToken = (db: Db, state: ParsedState) =>
  db.row<Attempt & { current: boolean }>(sql`
    update oauth_attempts a set status = 'exchanging' from ${people}
    where ${isAttemptOf(state)} and a.status = 'started' and a.expires_at > now() and m.id = a.member_id
    returning ${columns}, ${isCurrent} as current`);

/** Finds an attempt whose state was already used, until the attempt is removed. */
export const findUsedByToken = (db: Db, state: ParsedState) =>
  db.row<Attempt & { status: string }>(sql`
    select ${columns}, a.status from oauth_attempts a join ${people} on m.id = a.member_id
    where ${isAttemptOf(state)} and a.status <> 'started'`);

export const setStatus = (db: Db, orgId: OrgId, id: string, status: "connected" | "failed" | "superseded") =>
  db.run(sql`update oauth_attempts set status = ${status}, code_hash = null, token_id = null
    where org_id = ${orgId} and id = ${id}`);

type LockedAttempt = Pick<Attempt, "id" | "memberId" | "providerId">;

/**
 * Locks the attempt, its member and its client until the transaction ends. Undefined when it is not valid.
 * The member and the client are locked first, in the order of their removal, so that no deadlock occurs.
 */
export const lockCurrent = async (
  tx: Db,
  orgId: OrgId,
  { id, memberId, providerId }: LockedAttempt,
  status: "exchanging" | "waiting",
) => {
  await tx.row(sql`
    select o.id from organizations o
    join members m on m.org_id = o.id and m.id = ${memberId}
    join oauth_clients c on c.org_id = o.id and c.provider_id = ${providerId}
    where o.id = ${orgId} for key share of o, m for share of c`);
  return tx.row<{ id: string }>(sql`
    select a.id from oauth_attempts a
    where a.org_id = ${orgId} and a.id = ${id} and a.status = ${status} and a.expires_at > now() and ${isCurrent}
    for update`);
};

export const storeWaiting = (
  db: Db,
  orgId: OrgId,
  id: string,
  held: { tokenId: string; codeHash: string; subject: string | null; name: string | null },
) =>
  db.run(sql`
    update oauth_attempts set status = 'waiting', token_id = ${held.tokenId}, code_hash = ${held.codeHash},
      account_subject = ${held.subject}, account_name = ${held.name}
    where org_id = ${orgId} and id = ${id}`);

/** The attempt that waits for this member's claim with this code. */
export const findWaiting = (db: Db, orgId: OrgId, memberId: string, providerId: string, codeHash: string) =>
  db.row<Attempt>(sql`
    select ${columns} from oauth_attempts a join ${people} on m.id = a.member_id
    where a.org_id = ${orgId} and a.member_id = ${memberId} and a.provider_id = ${providerId}
      and a.status = 'waiting' and a.code_hash = ${codeHash} and a.expires_at > now()`);

/** Counts a wrong code for every waiting attempt. At the limit the attempts end. */
export const countWrongCode = (db: Db, orgId: OrgId, memberId: string, providerId: string, max: number) =>
  db.run(sql`
    update oauth_attempts set wrong_codes = wrong_codes + 1,
      expires_at = case when wrong_codes + 1 >= ${max}::int then now() else expires_at end
    where org_id = ${orgId} and member_id = ${memberId} and provider_id = ${providerId} and status = 'waiting'`);

/** Ends the attempts of a member that are not completed yet. `memberId` null: those for the shared account, of everybody. */
export const supersede = (
  db: Db,
  orgId: OrgId,
  { memberId, providerId, label }: { memberId: string | null; providerId: string; label: string | null },
) =>
  db.run(sql`
    update oauth_attempts set status = 'superseded'
    where org_id = ${orgId} and provider_id = ${providerId} and shared = (${memberId}::text is null)
      and (shared or member_id = ${memberId})
      and status in ('started', 'exchanging', 'waiting') and (${label}::text is null or label = ${label})`);

/** No attempt is valid for longer. The clocks of the processes that create ids may differ by a quarter of an hour. */
const keptMs = 30 * 60_000;

/**
 * Removes attempts that are over. A trigger marks their tokens for revocation, so those with a token are removed as soon as
 * they are over. The others are found by the time in their id, which needs no index.
 */
export const removeExpiredAcrossOrganizations = (db: Db) =>
  db.run(sql`
    delete from oauth_attempts where id < ${smallestIdAt("oat", Date.now() - keptMs)}
      or (token_id is not null and (expires_at < now() or status = 'superseded'))`);

/** The name of an organization's custom provider. */
export const findCustomName = async (db: Db, orgId: OrgId, id: string): Promise<string | undefined> =>
  (
    await db.row<{ name: string }>(
      sql`select name from oauth_providers where org_id = ${orgId} and id = ${id}`,
    )
  )?.name;
