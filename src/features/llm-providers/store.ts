import type { OrgId } from "../../platform/context.ts";
import { type Db, emptySql, type Sql, sql } from "../../platform/db/index.ts";
import type { Id } from "../../platform/ids.ts";
import type { KindName } from "./catalogue/index.ts";
import { isGrantedTo, type Subject } from "./grants/index.ts";

export type ProviderId = Id<"llp">;

/** A provider as a row. */
export interface ProviderRow {
  id: ProviderId;
  kind: KindName;
  name: string;
  baseUrl: string;
  models: string[] | null;
  enabled: boolean;
  keyTail: string | null;
  keys: number;
  createdBy: string;
  createdAt: number;
  updatedAt: number;
}

const columns = sql`p.id, p.kind, p.name, p.base_url as "baseUrl", p.models, p.enabled,
  (select k.tail from llm_provider_keys k where k.provider_id = p.id and k.disabled_at is null
    and k.retires_at is null order by k.id desc limit 1) as "keyTail",
  (select count(*)::int from llm_provider_keys k where k.provider_id = p.id and k.disabled_at is null
    and (k.retires_at is null or k.retires_at > now())) as keys,
  p.created_by as "createdBy", p.created_at as "createdAt", p.updated_at as "updatedAt"`;

/** Null: every provider of the organization. */
const isReachableBy = (subject: Subject | null) =>
  subject === null ? emptySql : sql`and ${isGrantedTo(subject)}`;

export const list = (db: Db, orgId: OrgId, reach: Subject | null, after: string, limit: number) =>
  db.rows<ProviderRow>(sql`
    select ${columns} from llm_providers p
    where p.org_id = ${orgId} and p.id < ${after} ${isReachableBy(reach)} order by p.id desc limit ${limit}`);

export const find = (db: Db, orgId: OrgId, reach: Subject | null, id: ProviderId) =>
  db.row<ProviderRow>(sql`
    select ${columns} from llm_providers p where p.org_id = ${orgId} and p.id = ${id} ${isReachableBy(reach)}`);

/** Locks the provider until the transaction ends. Changes of its keys and grants lock it first. */
export const lock = (tx: Db, orgId: OrgId, id: ProviderId) =>
  tx.row<ProviderRow>(sql`
    select ${columns} from llm_providers p where p.org_id = ${orgId} and p.id = ${id} for no key update`);

export type ProviderFields = Pick<ProviderRow, "name" | "baseUrl" | "models" | "enabled">;

export const insert = (
  tx: Db,
  orgId: OrgId,
  provider: ProviderFields & Pick<ProviderRow, "id" | "kind" | "createdBy">,
) =>
  tx.run(sql`
    insert into llm_providers (id, org_id, kind, name, base_url, models, enabled, created_by)
    values (${provider.id}, ${orgId}, ${provider.kind}, ${provider.name}, ${provider.baseUrl},
      ${provider.models}::text[], ${provider.enabled}, ${provider.createdBy})`);

export const update = (
  tx: Db,
  orgId: OrgId,
  id: ProviderId,
  { name, baseUrl, models, enabled }: ProviderFields,
) =>
  tx.run(sql`
    update llm_providers set name = ${name}, base_url = ${baseUrl}, models = ${models}::text[], enabled = ${enabled},
      updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

export const remove = (tx: Db, orgId: OrgId, id: ProviderId) =>
  tx.run(sql`delete from llm_providers where org_id = ${orgId} and id = ${id}`);

/** Returns those of the ids that are providers of this organization. */
export const listExisting = async (db: Db, orgId: OrgId, ids: readonly string[]): Promise<string[]> =>
  (
    await db.rows<{ id: string }>(
      sql`select p.id from llm_providers p where p.org_id = ${orgId} and p.id = any(${ids}::text[])`,
    )
  ).map(({ id }) => id);

/** The kinds of some providers, for their prices. */
export const listKinds = (db: Db, orgId: OrgId) =>
  db.rows<{ id: string; kind: string }>(
    sql`select p.id, p.kind from llm_providers p where p.org_id = ${orgId}`,
  );

/** The same as JSON, for some ids only. Other texts are ignored. */
export const selectKinds = (orgId: OrgId, ids: readonly string[]): Sql => sql`
  (select coalesce(jsonb_object_agg(p.id, p.kind), '{}') from llm_providers p
    where p.org_id = ${orgId} and p.id = any(${ids}::text[]))`;
