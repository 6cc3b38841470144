import type { OrgId } from "../../../platform/context.ts";
import { type Db, type Sql, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";

export type PriceId = Id<"lpr">;

/** Integer micro-units per million tokens; `request` per thousand requests. */
export interface OverrideRates {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
  request?: number;
}

export interface PriceRow {
  id: PriceId;
  provider: string;
  model: string;
  validFrom: number;
  rates: OverrideRates;
  note: string;
  createdBy: string;
  createdAt: number;
  updatedAt: number;
}

const columns = sql`p.id, p.provider, p.model, p.valid_from as "validFrom", p.rates, p.note,
  p.created_by as "createdBy", p.created_at as "createdAt", p.updated_at as "updatedAt"`;

export const list = (db: Db, orgId: OrgId, after: string, limit: number) =>
  db.rows<PriceRow>(sql`
    select ${columns} from llm_prices p where p.org_id = ${orgId} and p.id < ${after} order by p.id desc limit ${limit}`);

export interface PriceKey {
  provider: string;
  model: string;
  validFrom: number;
}

export const lock = (tx: Db, orgId: OrgId, { provider, model, validFrom }: PriceKey) =>
  tx.row<PriceRow>(sql`
    select ${columns} from llm_prices p
    where p.org_id = ${orgId} and p.provider = ${provider} and p.model = ${model}
      and p.valid_from = to_timestamp(${validFrom}::bigint / 1000.0) for update`);

export const lockById = (tx: Db, orgId: OrgId, id: PriceId) =>
  tx.row<PriceRow>(sql`
    select ${columns} from llm_prices p where p.org_id = ${orgId} and p.id = ${id} for update`);

export const save = (
  tx: Db,
  orgId: OrgId,
  price: PriceKey & { id: PriceId; rates: OverrideRates; note: string; createdBy: string },
) =>
  tx.row<PriceRow>(sql`
    insert into llm_prices as p (id, org_id, provider, model, valid_from, rates, note, created_by)
    values (${price.id}, ${orgId}, ${price.provider}, ${price.model},
      to_timestamp(${price.validFrom}::bigint / 1000.0), ${JSON.stringify(price.rates)}::text::jsonb, ${price.note},
      ${price.createdBy})
    on conflict (org_id, provider, model, valid_from) do update
    set rates = excluded.rates, note = excluded.note, updated_at = now()
    returning ${columns}`);

export const remove = (tx: Db, orgId: OrgId, id: PriceId) =>
  tx.run(sql`delete from llm_prices where org_id = ${orgId} and id = ${id}`);

/** All prices of the organization, the latest first. The quota limits their number. */
export const listForPricing = (db: Db, orgId: OrgId) =>
  db.rows<Pick<PriceRow, "id" | "provider" | "model" | "validFrom" | "rates">>(sql`
    select p.id, p.provider, p.model, p.valid_from as "validFrom", p.rates from llm_prices p
    where p.org_id = ${orgId} order by p.valid_from desc`);

/** The same as JSON, for some models only: a column of a statement that reads other things too. */
export const selectForPricing = (orgId: OrgId, models: readonly string[]): Sql => sql`
  (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'provider', p.provider, 'model', p.model,
      'validFrom', floor(extract(epoch from p.valid_from) * 1000), 'rates', p.rates) order by p.valid_from desc), '[]')
    from llm_prices p where p.org_id = ${orgId} and p.model = any(${models}::text[]))`;
