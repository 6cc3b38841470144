import type { MemberId, OrgId, UserId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

export const hasConnectorTestedBy = async (db: Db, orgId: OrgId, userId: UserId): Promise<boolean> =>
  (await db.row(
    sql`select 1 from sso_connectors where org_id = ${orgId} and enabled and tested_by = ${userId}`,
  )) !== undefined;

export const hasEnabledConnector = async (db: Db, orgId: OrgId): Promise<boolean> =>
  (await db.row(sql`select 1 from sso_connectors where org_id = ${orgId} and enabled limit 1`)) !== undefined;

/** Whether this member is an active owner with a second factor. */
export const isProtectedOwner = async (db: Db, orgId: OrgId, memberId: MemberId): Promise<boolean> =>
  (await db.row(sql`
    select 1 from members m
    where m.org_id = ${orgId} and m.id = ${memberId} and m.role = 'owner' and m.deactivated_at is null
      and (exists (select from two_factors f where f.user_id = m.user_id and f.confirmed_at is not null)
        or exists (select from passkeys p where p.user_id = m.user_id))`)) !== undefined;

/**
 * Active members who cannot sign in once single sign-on is required: they are linked to nobody at a provider, and their
 * address is in no verified domain.
 */
export const listLockedOut = (db: Db, orgId: OrgId, exceptId: MemberId) =>
  db.rows<{ memberId: MemberId }>(sql`
    select m.id as "memberId" from members m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.id <> ${exceptId} and m.deactivated_at is null
      and not exists (select from sso_identities i where i.org_id = m.org_id and i.user_id = m.user_id)
      and not exists (
        select from sso_domains d
        where d.org_id = m.org_id and d.verified_at is not null and d.domain = split_part(u.email, '@', 2))
    order by m.id`);
