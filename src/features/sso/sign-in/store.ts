import type { OrgId, UserId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import type { ConnectorId } from "../connectors/index.ts";

export type AttemptId = Id<"sat">;
export type Purpose = "sign_in" | "reauthenticate" | "test" | "link" | "confirm";

export interface Attempt {
  id: AttemptId;
  orgId: OrgId;
  connectorId: ConnectorId;
  purpose: Purpose;
  browserHash: string | null;
  secrets: string;
  userId: UserId | null;
  createdAt: number;
}

const columns = sql`a.id, a.org_id as "orgId", a.connector_id as "connectorId", a.purpose,
  a.browser_hash as "browserHash", a.secrets, a.user_id as "userId", a.created_at as "createdAt"`;

interface NewAttempt
  extends Pick<Attempt, "id" | "connectorId" | "purpose" | "browserHash" | "secrets" | "userId"> {
  stateHash: string;
  requestId?: string | undefined;
  minutes: number;
}

export const insert = (db: Db, orgId: OrgId, given: NewAttempt) =>
  db.row<{ expiresAt: number }>(sql`
    insert into sso_attempts (id, org_id, connector_id, purpose, state_hash, browser_hash, request_id, secrets, user_id,
      expires_at)
    values (${given.id}, ${orgId}, ${given.connectorId}, ${given.purpose}, ${given.stateHash}, ${given.browserHash},
      ${given.requestId ?? null}, ${given.secrets}, ${given.userId}, now() + make_interval(mins => ${given.minutes}::int))
    returning expires_at as "expiresAt"`);

/** Uses up a state. Of several requests with the same state, one gets the attempt. */
export const useByToken = (db: Db, stateHash: string) =>
  db.row<Attempt>(sql`
    update sso_attempts a set used_at = now()
    where a.state_hash = ${stateHash} and a.used_at is null and a.expires_at > now() and a.browser_hash is not null
      and a.purpose in ('sign_in', 'reauthenticate', 'test')
    returning ${columns}`);

/** Uses up the request that a SAML response answers. */
export const useByRequest = (db: Db, orgId: OrgId, connectorId: ConnectorId, requestId: string) =>
  db.row<Attempt>(sql`
    update sso_attempts a set used_at = now()
    where a.org_id = ${orgId} and a.connector_id = ${connectorId} and a.request_id = ${requestId} and a.used_at is null
      and a.expires_at > now() and a.purpose in ('sign_in', 'reauthenticate', 'test')
    returning ${columns}`);

/** Gives a test to the first browser that opens its address. */
export const openTestByToken = (
  db: Db,
  connectorId: ConnectorId,
  tokenHash: string,
  to: { stateHash: string; browserHash: string; requestId: string | undefined },
) =>
  db.row<Attempt>(sql`
    update sso_attempts a set state_hash = ${to.stateHash}, browser_hash = ${to.browserHash},
      request_id = ${to.requestId ?? null}
    where a.connector_id = ${connectorId} and a.state_hash = ${tokenHash} and a.purpose = 'test'
      and a.browser_hash is null and a.expires_at > now()
    returning ${columns}`);

/** What waits for an answer of the person on a page: to prove an account, or to confirm a sign-in. */
type Waiting = Extract<Purpose, "link" | "confirm">;

export const findWaitingByToken = (db: Db, purpose: Waiting, tokenHash: string) =>
  db.row<Attempt>(sql`
    select ${columns} from sso_attempts a
    where a.state_hash = ${tokenHash} and a.purpose = ${purpose} and a.used_at is null and a.expires_at > now()`);

/** Uses up what waits. Of two requests, one gets it. */
export const useWaitingByToken = (db: Db, purpose: Waiting, tokenHash: string) =>
  db.row<Attempt>(sql`
    update sso_attempts a set used_at = now()
    where a.state_hash = ${tokenHash} and a.purpose = ${purpose} and a.used_at is null and a.expires_at > now()
    returning ${columns}`);

export const removeExpiredAcrossOrganizations = async (db: Db) => {
  await db.run(sql`delete from sso_attempts where expires_at < now() - interval '1 hour'`);
  await db.run(sql`delete from sso_used_assertions where expires_at < now()`);
};

/** The connector of the people of a domain. One statement, whether or not there is one. */
export const findConnectorOfDomainAcrossOrganizations = (db: Db, domain: string) =>
  db.row<{ id: ConnectorId }>(sql`
    select c.id from sso_domains d join sso_connectors c on c.org_id = d.org_id and c.enabled
    where d.domain = ${domain} and d.verified_at is not null order by c.id limit 1`);

export const findMaxAgeMinutes = async (db: Db, orgId: OrgId): Promise<number | null> =>
  (
    await db.row<{ minutes: number | null }>(
      sql`select session_max_age_minutes as minutes from organizations where id = ${orgId}`,
    )
  )?.minutes ?? null;

export const findOrganizationName = async (db: Db, orgId: OrgId): Promise<string> =>
  (await db.row<{ name: string }>(sql`select name from organizations where id = ${orgId}`))?.name ?? "";
