import type { MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { invalidField, notFound } from "../../../platform/errors.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { findKind } from "../catalogue/index.ts";
import { type RecomputationScope, requestRecomputation } from "../recomputations/index.ts";
import { listExisting } from "../store.ts";
import type { NewPrice } from "./contract.ts";
import * as store from "./store.ts";

/** Automations have the usage reports, and import this room, so the job is named and not imported. */
const recomputeCosts = { name: "automations.recompute-costs" };

export async function list({ db, orgId }: MemberCtx, query: PageQuery) {
  return cutPageById(await store.list(db, orgId, readIdCursor(query, "lpr"), query.limit + 1), query);
}

export const save = (ctx: MemberCtx, { rates, ...given }: NewPrice) =>
  ctx.db.transaction(async (tx) => {
    const { orgId, member } = ctx;
    const isKnown = findKind(given.provider) || (await listExisting(tx, orgId, [given.provider])).length > 0;
    if (!isKnown)
      throw invalidField(
        ["provider"],
        "Give a kind of the catalogue, such as anthropic, or the id of one of your LLM providers.",
      );
    const before = await store.lock(tx, orgId, given);
    if (!before) await takeQuota(ctx, tx, orgId, "llm_prices");
    const price = (await store.save(tx, orgId, {
      ...given,
      rates: rates as store.OverrideRates,
      id: before?.id ?? newId("lpr"),
      createdBy: member.id,
    }))!;
    const recomputing = await recomputeSince(ctx, tx, price);
    await recordChange(ctx, tx, before ? "changed" : "created", price.id, before, price);
    return { price, recomputing };
  });

export const remove = (ctx: MemberCtx, id: string): Promise<void> =>
  ctx.db.transaction(async (tx) => {
    const price = isId("lpr", id) ? await store.lockById(tx, ctx.orgId, id) : undefined;
    if (!price) throw notFound("llm_price");
    await store.remove(tx, ctx.orgId, price.id);
    await recomputeSince(ctx, tx, price);
    await recordChange(ctx, tx, "removed", price.id, price);
  });

/** A price of the future changes no cost of the past. */
async function recomputeSince(
  ctx: MemberCtx,
  tx: Db,
  { model, validFrom }: Pick<store.PriceRow, "model" | "validFrom">,
): Promise<boolean> {
  if (validFrom > Date.now()) return false;
  await queueRecomputation(ctx, tx, { model, fromAt: validFrom });
  return true;
}

/** One job and one row do for any number of requests. The audit log is locked later, because a batch locks it too. */
async function queueRecomputation(
  { jobs, orgId }: MemberCtx,
  tx: Db,
  scope: RecomputationScope,
): Promise<void> {
  if (await requestRecomputation(tx, orgId, scope)) await jobs.add(tx, recomputeCosts, {});
}

export const recompute = (ctx: MemberCtx, { fromAt }: { fromAt: number }) =>
  ctx.db.transaction(async (tx) => {
    await queueRecomputation(ctx, tx, { model: null, fromAt });
    const target = { type: "llm_prices", id: null };
    await record(ctx, tx, { action: "llm_price.recomputation_requested", target, after: { fromAt } });
    return { recomputing: true as const };
  });

const recordChange = (
  ctx: MemberCtx,
  tx: Db,
  what: string,
  id: string,
  before?: store.PriceRow,
  after?: store.PriceRow,
) =>
  record(ctx, tx, {
    action: `llm_price.${what}`,
    target: { type: "llm_price", id },
    before: before && toAuditState(before),
    after: after && toAuditState(after),
  });

const toAuditState = ({ provider, model, validFrom, rates, note }: store.PriceRow) => ({
  provider,
  model,
  validFrom,
  rates: { ...rates },
  note,
});
