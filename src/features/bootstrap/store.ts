import type { OrgId, UserId } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/index.ts";

export const insertLink = (db: Db, orgId: OrgId, tokenHash: string, hours: number) =>
  db.row<{ expiresAt: number }>(sql`
    insert into claim_links (token_hash, org_id, expires_at)
    values (${tokenHash}, ${orgId}, now() + make_interval(hours => ${hours}))
    returning expires_at as "expiresAt"`);

export const removeLinks = (db: Db, orgId: OrgId) =>
  db.run(sql`delete from claim_links where org_id = ${orgId}`);

export const findLinkByToken = (db: Db, tokenHash: string) =>
  db.row<{ orgId: OrgId; isExpired: boolean; expiresAt: number }>(sql`
    select org_id as "orgId", expires_at <= now() as "isExpired", expires_at as "expiresAt" from claim_links where token_hash = ${tokenHash}`);

export const lockUnclaimedAcrossOrganizations = (tx: Db) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended('provisional workspaces', 0))`);

/** Counts the unclaimed workspaces: all, and those made from this network. */
export const countUnclaimedAcrossOrganizations = async (db: Db, network: string) =>
  (await db.row<{ all: number; inNetwork: number }>(sql`
    select count(*)::int as all, (count(*) filter (where provisional_network = ${network}))::int as "inNetwork"
    from organizations where provisional_until is not null`))!;

export const setNetwork = (tx: Db, orgId: OrgId, network: string) =>
  tx.run(sql`update organizations set provisional_network = ${network} where id = ${orgId}`);

/** Locks one expired workspace. Other processes skip it. The data of a suspended one stays. */
export const lockOverdueAcrossOrganizations = (tx: Db) =>
  tx.row<{ orgId: OrgId; userId: UserId | null }>(sql`
    select o.id as "orgId", (select m.user_id from members m join users u on u.id = m.user_id
      where m.org_id = o.id and u.provisional limit 1) as "userId"
    from organizations o where o.provisional_until <= now() and o.suspended_at is null
    order by o.provisional_until limit 1 for update of o skip locked`);
