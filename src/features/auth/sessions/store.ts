import type { UserId } from "../../../platform/context.ts";
import { type Db, reuseStatement, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import {
  customRole,
  type MembershipRow,
  membershipColumns,
  type NoMembership,
  recordUseAcrossOrganizations,
} from "../../credentials/index.ts";
import type { UserSession } from "./contract.ts";

export type SessionId = Id<"ses">;

/** How long a session lasts without being used. */
export const sessionDays = 7;

export const insert = (
  db: Db,
  userId: UserId,
  session: {
    id: SessionId;
    tokenHash: string;
    signedInBy: UserSession["signedInBy"];
    address: string | null;
    userAgent: string;
    days: number;
  },
) =>
  db.run(sql`
    insert into sessions (id, user_id, token_hash, signed_in_by, ip_address, user_agent, expires_at)
    values (${session.id}, ${userId}, ${session.tokenHash}, ${session.signedInBy}, ${session.address},
      ${session.userAgent}, now() + make_interval(days => ${session.days}))`);

export interface SessionColumns {
  id: SessionId;
  personId: UserId;
  signedInAt: number;
  signedInBy: UserSession["signedInBy"];
  /** The rules of the organization. Null without one. */
  sessionMaxAgeMinutes: number | null;
  requireSso: boolean | null;
}

const selectByHash = reuseStatement(
  (tokenHash: string, orgId: string | null) => sql`
    select s.id, s.user_id as "personId", coalesce(s.reauthenticated_at, s.created_at) as "signedInAt",
      s.signed_in_by as "signedInBy", o.session_max_age_minutes as "sessionMaxAgeMinutes",
      o.require_sso as "requireSso", ${membershipColumns}
    from sessions s
    left join members m on m.user_id = s.user_id and m.org_id = coalesce(
      ${orgId}::text,
      s.active_organization_id,
      (select min(sole.org_id) from members sole where sole.user_id = s.user_id having count(*) = 1))
    left join organizations o on o.id = m.org_id ${customRole}
    where s.token_hash = ${tokenHash} and s.expires_at > now()`,
);

/** A session acts in the requested organization, else in its active one, else in the person's only one. */
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

type Row = Omit<UserSession, "current" | "device">;

export const list = (db: Db, userId: UserId, after: string, limit: number) =>
  db.rows<Row>(sql`
    select id, coalesce(user_agent, '') as "userAgent", ip_address as address, signed_in_by as "signedInBy",
      coalesce(reauthenticated_at, created_at) as "signedInAt", last_used_at as "lastUsedAt",
      expires_at as "expiresAt", created_at as "createdAt"
    from sessions where user_id = ${userId} and expires_at > now() and id < ${after}
    order by id desc limit ${limit}`);

export const remove = (db: Db, userId: UserId, id: string) =>
  db.run(sql`delete from sessions where user_id = ${userId} and id = ${id}`);

export const removeOthers = (db: Db, userId: UserId, id: string) =>
  db.run(sql`delete from sessions where user_id = ${userId} and id <> ${id}`);

export const refresh = (db: Db, userId: UserId, id: string) =>
  db.row<{ signedInAt: number }>(sql`
    update sessions set reauthenticated_at = now(), updated_at = now()
    where user_id = ${userId} and id = ${id} returning reauthenticated_at as "signedInAt"`);
