import type { MemberId, OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { isNotSuspended } from "../../suspension/index.ts";
import type { Share, SharedDiscovery } from "./contract.ts";

export type ShareId = Id<"mcs">;

const columns = sql`s.id, s.discovery_id as "discoveryId", s.created_by as "createdBy", s.expires_at as "expiresAt",
  s.created_at as "createdAt"`;

/** Locks the verdict, so that two requests do not both create the last link. Count its links afterwards. */
export const lockDiscovery = (tx: Db, orgId: OrgId, discoveryId: string) =>
  tx.row<{ url: string }>(sql`
    select d.url from mcp_discoveries d where d.org_id = ${orgId} and d.id = ${discoveryId} for no key update`);

export const countLive = async (tx: Db, orgId: OrgId, discoveryId: string): Promise<number> =>
  (await tx.row<{ count: number }>(sql`
    select count(*)::int as count from mcp_discovery_shares s
    where s.org_id = ${orgId} and s.discovery_id = ${discoveryId} and s.expires_at > now()`))!.count;

export const exists = async (db: Db, orgId: OrgId, discoveryId: string): Promise<boolean> =>
  (await db.row(sql`select 1 from mcp_discoveries where org_id = ${orgId} and id = ${discoveryId}`)) !==
  undefined;

export const insert = (
  tx: Db,
  orgId: OrgId,
  share: { id: ShareId; discoveryId: string; tokenHash: string; createdBy: MemberId; days: number },
) =>
  tx.row<Share>(sql`
    insert into mcp_discovery_shares as s (id, org_id, discovery_id, token_hash, created_by, expires_at)
    values (${share.id}, ${orgId}, ${share.discoveryId}, ${share.tokenHash}, ${share.createdBy},
      now() + make_interval(days => ${share.days}::int))
    returning ${columns}`);

export const list = (db: Db, orgId: OrgId, discoveryId: string, after: string, limit: number) =>
  db.rows<Share>(sql`
    select ${columns} from mcp_discovery_shares s
    where s.org_id = ${orgId} and s.discovery_id = ${discoveryId} and s.expires_at > now() and s.id < ${after}
    order by s.id desc limit ${limit}`);

export const remove = (tx: Db, orgId: OrgId, discoveryId: string, id: string) =>
  tx.row<Share>(sql`
    delete from mcp_discovery_shares s
    where s.org_id = ${orgId} and s.discovery_id = ${discoveryId} and s.id = ${id} returning ${columns}`);

export const findByToken = (db: Db, tokenHash: string) =>
  db.row<SharedDiscovery>(sql`
    select d.url, d.status, jsonb_array_length(d.evidence) as requests, d.duration_ms as "durationMs",
      d.created_at as "createdAt", d.result, d.evidence, s.expires_at as "expiresAt"
    from mcp_discovery_shares s join mcp_discoveries d on d.id = s.discovery_id
    where s.token_hash = ${tokenHash} and s.expires_at > now() and ${isNotSuspended(sql`s.org_id`)}`);

export const removeExpiredAcrossOrganizations = (db: Db) =>
  db.run(sql`delete from mcp_discovery_shares where expires_at < now()`);
