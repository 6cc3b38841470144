import type { OrgId, UserId } from "../../../platform/context.ts";
import { type Db, emptySql, reuseStatement, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import {
  customRole,
  isActiveMember,
  type MembershipRow,
  membershipColumns,
  type NoMembership,
  recordUseAcrossOrganizations,
} from "../../credentials/index.ts";
import type { UserSession } from "./contract.ts";

export type SessionId = Id<"ses">;

/** How long a session lasts without being used. */
export const sessionDays = 7;

/** The connector that started a session. */
export interface SsoOrigin {
  orgId: OrgId;
  connectorId: string;
  /** When the person proved who they are at the provider. Null: the provider does not say, so it is never fresh. */
  authenticatedAt: number | null;
}

export const insert = (
  db: Db,
  userId: UserId,
  session: {
    id: SessionId;
    tokenHash: string;
    signedInBy: UserSession["signedInBy"];
    sso: SsoOrigin | null;
    address: string | null;
    userAgent: string;
    days: number;
  },
) =>
  db.run(sql`
    insert into sessions (id, user_id, token_hash, signed_in_by, sso_org_id, sso_connector_id, active_organization_id,
      reauthenticated_at, ip_address, user_agent, expires_at)
    values (${session.id}, ${userId}, ${session.tokenHash}, ${session.signedInBy}, ${session.sso?.orgId ?? null},
      ${session.sso?.connectorId ?? null}, ${session.sso?.orgId ?? null},
      to_timestamp(${session.sso?.authenticatedAt ?? null}::float8 / 1000), ${session.address}, ${session.userAgent},
      now() + make_interval(days => ${session.days}))`);

export interface SessionColumns {
  id: SessionId;
  personId: UserId;
  signedInAt: number | null;
  signedInBy: UserSession["signedInBy"];
  /** The rules of the organization. Null without one. */
  sessionMaxAgeMinutes: number | null;
  requireSso: boolean | null;
  /** The organization whose single sign-on started the session. Null: it was started another way. */
  ssoOrgId: OrgId | null;
  /** The session is of the owner who may sign in without single sign-on, and passed the second factor since. */
  isBreakGlass: boolean;
}

/** When the person last proved who they are. Null: their identity provider does not say. */
const signedInAt = sql`case when s.sso_connector_id is null then coalesce(s.reauthenticated_at, s.created_at)
  else s.reauthenticated_at end as "signedInAt"`;

const selectByHash = reuseStatement(
  (tokenHash: string, orgId: string | null) => sql`
    select s.id, s.user_id as "personId", ${signedInAt},
      s.signed_in_by as "signedInBy", o.session_max_age_minutes as "sessionMaxAgeMinutes",
      o.require_sso as "requireSso", s.sso_org_id as "ssoOrgId", coalesce(o.require_sso and o.break_glass_member_id = m.id
        and m.role = 'owner' and coalesce(s.reauthenticated_at, s.created_at) >= o.sso_required_at and (exists (
          select from two_factors f where f.user_id = s.user_id
            and f.confirmed_at <= coalesce(s.reauthenticated_at, s.created_at))
          or exists (select from passkeys p where p.user_id = s.user_id
            and p.created_at <= coalesce(s.reauthenticated_at, s.created_at))), false) as "isBreakGlass",
      ${membershipColumns}
    from sessions s
    left join members m on m.user_id = s.user_id and ${isActiveMember} and m.org_id = coalesce(
      ${orgId}::text,
      s.sso_org_id,
      s.active_organization_id,
      (select min(sole.org_id) from members sole where sole.user_id = s.user_id and sole.deactivated_at is null
        having count(*) = 1))
      and (s.sso_org_id is null or m.org_id = s.sso_org_id)
    left join organizations o on o.id = m.org_id ${customRole}
    where s.token_hash = ${tokenHash} and s.expires_at > now()`,
);

/**
 * A session acts in the requested organization, else in its active one, else in the person's only one. A session of an
 * organization's single sign-on acts nowhere else.
 */
export const findSessionByToken = (db: Db, tokenHash: string, orgId: string | undefined) =>
  db.row<SessionColumns & (MembershipRow | NoMembership)>(selectByHash(tokenHash, orgId ?? null));

/** Each use extends the session. One that has expired since the request stays expired. */
export const recordSessionUseAcrossOrganizations = (db: Db, ids: readonly string[]) =>
  recordUseAcrossOrganizations(
    db,
    {
      table: sql`sessions`,
      set: sql`last_used_at = now(), expires_at = now() + make_interval(days => ${sessionDays})`,
      where: sql`expires_at > now()`,
    },
    ids,
  );

export const findSignedInBy = async (db: Db, userId: UserId, id: string) =>
  (
    await db.row<Pick<UserSession, "signedInBy">>(
      sql`select signed_in_by as "signedInBy" from sessions where user_id = ${userId} and id = ${id}`,
    )
  )?.signedInBy;

/** A removal in progress is waited for. */
export const keepAcrossOrganizations = async (tx: Db, id: string) =>
  (
    await tx.row<{ tokenHash: string }>(
      sql`select token_hash as "tokenHash" from sessions where id = ${id} for key share`,
    )
  )?.tokenHash;

type Row = Omit<UserSession, "current" | "device">;

/** Only sessions of this organization's single sign-on, or all. */
const ofOrganization = (onlyOrgId: OrgId | undefined) =>
  onlyOrgId === undefined ? emptySql : sql`and sso_org_id = ${onlyOrgId}`;

export const list = (db: Db, userId: UserId, onlyOrgId: OrgId | undefined, after: string, limit: number) =>
  db.rows<Row>(sql`
    select s.id, coalesce(s.user_agent, '') as "userAgent", s.ip_address as address, s.signed_in_by as "signedInBy",
      ${signedInAt}, s.last_used_at as "lastUsedAt", s.expires_at as "expiresAt", s.created_at as "createdAt"
    from sessions s
    where s.user_id = ${userId} and s.expires_at > now() and s.id < ${after} ${ofOrganization(onlyOrgId)}
    order by s.id desc limit ${limit}`);

export const remove = (db: Db, userId: UserId, id: string, onlyOrgId?: OrgId) =>
  db.run(sql`delete from sessions where user_id = ${userId} and id = ${id} ${ofOrganization(onlyOrgId)}`);

export const removeOthers = (db: Db, userId: UserId, id: string, onlyOrgId?: OrgId) =>
  db.run(sql`delete from sessions where user_id = ${userId} and id <> ${id} ${ofOrganization(onlyOrgId)}`);

/** Ends the sessions that a connector started: all of them, or those of one person. */
export const removeByConnector = (db: Db, orgId: OrgId, connectorId: string, userId: UserId | null = null) =>
  db.run(sql`
    delete from sessions where sso_org_id = ${orgId} and sso_connector_id = ${connectorId}
      and (${userId}::text is null or user_id = ${userId})`);

export const refresh = (db: Db, userId: UserId, id: string) =>
  db.row<{ signedInAt: number }>(sql`
    update sessions set reauthenticated_at = now(), updated_at = now()
    where user_id = ${userId} and id = ${id} returning reauthenticated_at as "signedInAt"`);

/** Renews a session of single sign-on. Without a time of the new sign-in, the session stays as old as it is. */
export const refreshBySso = (db: Db, orgId: OrgId, userId: UserId, id: string, sso: SsoOrigin) =>
  db.run(sql`
    update sessions set updated_at = now(),
      reauthenticated_at = coalesce(to_timestamp(${sso.authenticatedAt}::float8 / 1000), reauthenticated_at)
    where sso_org_id = ${orgId} and sso_connector_id = ${sso.connectorId} and user_id = ${userId} and id = ${id}
      and expires_at > now()`);
