import type { MemberId, OrgId, UserId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import type { ConnectorId } from "../connectors/index.ts";

export type IdentityId = Id<"sid">;

export interface IdentityRow {
  id: IdentityId;
  subject: string;
  userId: UserId;
  email: string | null;
  mappedRole: string | null;
  mappedTeamIds: string[];
  lastSignInAt: number | null;
  createdAt: number;
}

const columns = sql`i.id, i.subject, i.user_id as "userId", i.email, i.mapped_role as "mappedRole",
  i.mapped_team_ids as "mappedTeamIds", i.last_sign_in_at as "lastSignInAt", i.created_at as "createdAt"`;

export const findBySubject = (db: Db, orgId: OrgId, connectorId: ConnectorId, subject: string) =>
  db.row<IdentityRow>(sql`
    select ${columns} from sso_identities i
    where i.org_id = ${orgId} and i.connector_id = ${connectorId} and i.subject = ${subject}`);

export const hasIdentity = async (
  db: Db,
  orgId: OrgId,
  connectorId: ConnectorId,
  userId: UserId,
): Promise<boolean> =>
  (await db.row(sql`
    select 1 from sso_identities
    where org_id = ${orgId} and connector_id = ${connectorId} and user_id = ${userId}`)) !== undefined;

interface NewIdentity {
  id: IdentityId;
  subject: string;
  userId: UserId;
  email: string | null;
}

export const insert = (db: Db, orgId: OrgId, connectorId: ConnectorId, given: NewIdentity) =>
  db.row<IdentityRow>(sql`
    insert into sso_identities as i (id, org_id, connector_id, subject, user_id, email)
    values (${given.id}, ${orgId}, ${connectorId}, ${given.subject}, ${given.userId}, ${given.email})
    returning ${columns}`);

export const recordSignIn = (db: Db, orgId: OrgId, id: IdentityId, email: string | null) =>
  db.run(sql`
    update sso_identities set last_sign_in_at = now(), email = coalesce(${email}, email)
    where org_id = ${orgId} and id = ${id}`);

export const setMapped = (
  db: Db,
  orgId: OrgId,
  id: IdentityId,
  mapped: { role: string | null; teamIds: readonly string[] },
) =>
  db.run(sql`
    update sso_identities set mapped_role = ${mapped.role}, mapped_team_ids = ${mapped.teamIds}::text[]
    where org_id = ${orgId} and id = ${id}`);

interface ListedIdentity
  extends Pick<IdentityRow, "id" | "subject" | "userId" | "email" | "lastSignInAt" | "createdAt"> {
  name: string;
  memberId: MemberId | null;
}

export const list = (db: Db, orgId: OrgId, connectorId: ConnectorId, after: string, limit: number) =>
  db.rows<ListedIdentity>(sql`
    select i.id, i.subject, i.user_id as "userId", i.email, i.last_sign_in_at as "lastSignInAt",
      i.created_at as "createdAt", u.name, m.id as "memberId"
    from sso_identities i join users u on u.id = i.user_id
    left join members m on m.org_id = i.org_id and m.user_id = i.user_id
    where i.org_id = ${orgId} and i.connector_id = ${connectorId} and i.id < ${after} order by i.id desc limit ${limit}`);

export const remove = (db: Db, orgId: OrgId, connectorId: ConnectorId, id: IdentityId) =>
  db.row<IdentityRow>(sql`
    delete from sso_identities i where i.org_id = ${orgId} and i.connector_id = ${connectorId} and i.id = ${id}
    returning ${columns}`);

export interface MemberState {
  memberId: MemberId;
  role: string;
  joinedAt: number;
  isDeactivated: boolean;
  /** A directory decides about the role, so the groups of a sign-in do not. */
  isRoleManaged: boolean;
  isNameManaged: boolean;
}

export const findMember = (db: Db, orgId: OrgId, userId: UserId) =>
  db.row<MemberState>(sql`
    select id as "memberId", role, created_at as "joinedAt", deactivated_at is not null as "isDeactivated",
      managed_by is not null and 'role' = any(managed_fields) as "isRoleManaged",
      managed_by is not null and 'name' = any(managed_fields) as "isNameManaged"
    from members where org_id = ${orgId} and user_id = ${userId}`);

export const listAllowedDomains = async (db: Db, orgId: OrgId): Promise<string[]> =>
  (
    await db.row<{ domains: string[] }>(
      sql`select allowed_email_domains as domains from organizations where id = ${orgId}`,
    )
  )?.domains ?? [];

/** Which of these roles exist in the organization. */
export const listRoles = async (db: Db, orgId: OrgId, ids: readonly string[]): Promise<string[]> =>
  (
    await db.rows<{ id: string }>(
      sql`select id from roles where org_id = ${orgId} and id = any(${ids}::text[])`,
    )
  ).map(({ id }) => id);

export const listTeamNames = (db: Db, orgId: OrgId, ids: readonly string[]) =>
  db.rows<{ id: string; name: string }>(
    sql`select id, name from teams where org_id = ${orgId} and id = any(${ids}::text[]) order by name`,
  );
