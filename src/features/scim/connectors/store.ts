import type { OrgId } from "../../../platform/context.ts";
import { type Db, reuseStatement, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { isSuspended } from "../../suspension/index.ts";
import type { GroupMapping, ScimToken } from "./contract.ts";

export type ConnectorId = Id<"scm">;
type TokenId = Id<"sct">;

export interface Connector {
  id: ConnectorId;
  name: string;
  defaultRole: string;
  groupMappings: GroupMapping[];
  disabledAt: number | null;
  calls: number;
  errors: number;
  lastCallAt: number | null;
  lastErrorAt: number | null;
  lastError: string | null;
  createdAt: number;
  updatedAt: number;
}

const columns = sql`c.id, c.name, c.default_role as "defaultRole", c.group_mappings as "groupMappings",
  c.disabled_at as "disabledAt", c.calls, c.errors, c.last_call_at as "lastCallAt", c.last_error_at as "lastErrorAt",
  c.last_error as "lastError", c.created_at as "createdAt", c.updated_at as "updatedAt"`;

export const find = (db: Db, orgId: OrgId) =>
  db.row<Connector>(sql`select ${columns} from scim_connectors c where c.org_id = ${orgId}`);

export const insert = (db: Db, orgId: OrgId, id: ConnectorId, name: string) =>
  db.row<Connector>(sql`
    insert into scim_connectors as c (id, org_id, name, default_role) values (${id}, ${orgId}, ${name}, 'member')
    returning ${columns}`);

export const update = (
  db: Db,
  orgId: OrgId,
  id: ConnectorId,
  next: Pick<Connector, "name" | "defaultRole" | "groupMappings"> & { enabled: boolean },
) =>
  db.row<Connector>(sql`
    update scim_connectors c set name = ${next.name}, default_role = ${next.defaultRole},
      group_mappings = ${JSON.stringify(next.groupMappings)}::text::jsonb, updated_at = now(),
      disabled_at = case when ${next.enabled} then null else coalesce(c.disabled_at, now()) end
    where c.org_id = ${orgId} and c.id = ${id} returning ${columns}`);

/** Also deletes its tokens, users, groups and calls. */
export const remove = (db: Db, orgId: OrgId, id: ConnectorId) =>
  db.run(sql`delete from scim_connectors where org_id = ${orgId} and id = ${id}`);

export const countResources = async (db: Db, orgId: OrgId, id: ConnectorId) =>
  (await db.row<{ users: number; activeUsers: number; linkedUsers: number; groups: number }>(sql`
    select count(*)::int as users, (count(*) filter (where u.active and m.deactivated_by is distinct from 'admin'))::int as "activeUsers",
      count(u.member_id)::int as "linkedUsers",
      (select count(*)::int from scim_groups g where g.org_id = ${orgId} and g.connector_id = ${id}) as groups
    from scim_users u left join members m on m.id = u.member_id
    where u.org_id = ${orgId} and u.connector_id = ${id}`))!;

export const insertToken = (
  db: Db,
  orgId: OrgId,
  connectorId: ConnectorId,
  token: { id: TokenId; start: string; tokenHash: string },
) =>
  db.run(sql`
    insert into scim_tokens (id, connector_id, org_id, start, token_hash)
    values (${token.id}, ${connectorId}, ${orgId}, ${token.start}, ${token.tokenHash})`);

/** Earlier tokens stay valid for this long, and never longer than before. Returns how many are affected. */
export const expireTokens = (db: Db, orgId: OrgId, connectorId: ConnectorId, hours: number) =>
  db.run(sql`
    update scim_tokens set expires_at = least(expires_at, now() + make_interval(hours => ${hours}::int))
    where org_id = ${orgId} and connector_id = ${connectorId} and (expires_at is null or expires_at > now())`);

/** Whether a token is valid at this moment. A transaction that waited may have begun before the token ended. */
export const isValidToken = async (tx: Db, orgId: OrgId, connectorId: string, id: string): Promise<boolean> =>
  (await tx.row(sql`
    select 1 from scim_tokens where org_id = ${orgId} and connector_id = ${connectorId} and id = ${id}
      and (expires_at is null or expires_at > clock_timestamp())`)) !== undefined;

export const listTokens = (db: Db, orgId: OrgId, connectorId: ConnectorId) =>
  db.rows<ScimToken>(sql`
    select id, start, expires_at as "expiresAt", last_used_at as "lastUsedAt", created_at as "createdAt"
    from scim_tokens
    where org_id = ${orgId} and connector_id = ${connectorId} and (expires_at is null or expires_at > now())
    order by id desc limit 20`);

const selectByHash = reuseStatement(
  (tokenHash: string) => sql`
    select t.id, t.connector_id as "connectorId", t.org_id as "orgId",
      ${isSuspended(sql`t.org_id`)} as "isSuspended"
    from scim_tokens t
    where t.token_hash = ${tokenHash} and (t.expires_at is null or t.expires_at > now())`,
);

export const findConnectorByToken = (db: Db, tokenHash: string) =>
  db.row<{ id: TokenId; connectorId: ConnectorId; orgId: OrgId; isSuspended: boolean }>(
    selectByHash(tokenHash),
  );

export const removeExpiredTokensAcrossOrganizations = (db: Db) =>
  db.run(sql`delete from scim_tokens where expires_at < now() - interval '7 days'`);
