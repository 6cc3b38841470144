import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import { isNotSuspended } from "../../suspension/index.ts";

/** Which costs are computed again. */
export interface RecomputationScope {
  /** In lower case. Null: every model. */
  model: string | null;
  /** Milliseconds since 1970. */
  fromAt: number;
}

/**
 * Requests a recomputation, or merges it into one that is not finished, which begins again. Returns whether it is the
 * only one of the organization. It waits for a running batch, so call it before anything that a batch waits for.
 */
export const request = async (
  tx: Db,
  orgId: OrgId,
  { model, fromAt }: RecomputationScope,
): Promise<boolean> =>
  (await tx.row<{ isNew: boolean }>(sql`
    insert into llm_recomputations as r (org_id, model, from_at)
    values (${orgId}, ${model}, to_timestamp(${fromAt}::bigint / 1000.0))
    on conflict (org_id) do update set position = null, from_at = least(r.from_at, excluded.from_at),
      model = case when r.model = excluded.model then r.model end
    returning xmax = 0 as "isNew"`))!.isNew;

interface Recomputation extends RecomputationScope {
  orgId: OrgId;
  /** The last report that is done, as `advance` got it. */
  position: Record<string, unknown> | null;
}

/** Locks the recomputation that waited longest. Others skip it until the transaction ends. */
export const lockNextAcrossOrganizations = (tx: Db) =>
  tx.row<Recomputation>(sql`
    select r.org_id as "orgId", r.model, r.from_at as "fromAt", r.position from llm_recomputations r
    where ${isNotSuspended(sql`r.org_id`)} order by r.advanced_at limit 1 for update skip locked`);

export const advance = (tx: Db, orgId: OrgId, position: object) =>
  tx.run(sql`
    update llm_recomputations set position = ${JSON.stringify(position)}::text::jsonb, advanced_at = clock_timestamp()
    where org_id = ${orgId}`);

export const remove = (tx: Db, orgId: OrgId) =>
  tx.run(sql`delete from llm_recomputations where org_id = ${orgId}`);
