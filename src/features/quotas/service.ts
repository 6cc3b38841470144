import type { MemberCtx, OrgId, Platform } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { invalidField, notFound } from "../../platform/errors.ts";
import {
  type ByteQuota,
  type CountQuota,
  type KeptQuota,
  type QuotaName,
  quotaNames,
  quotas,
} from "./catalogue.ts";
import type { Quota } from "./contract.ts";
import { findLimit, quotaExceeded } from "./limits.ts";
import { quotaMeter } from "./meter.ts";
import * as store from "./store.ts";

/**
 * Objects that directories create by the thousand. They are counted only when a stored upper bound reaches the limit.
 * Whatever adds one of them must call `takeQuota`, because it raises the bound.
 */
const boundedQuotas: ReadonlySet<CountQuota> = new Set(["members", "scim_users", "scim_groups"]);

/** Refuses an object beyond the quota. Call it in the transaction that creates the object, before the insert. */
export async function takeQuota(
  { config }: Pick<Platform, "config">,
  tx: Db,
  orgId: OrgId,
  name: CountQuota,
): Promise<void> {
  const settings = await store.lockLimitSettings(tx, orgId, name);
  if (!settings) throw notFound("organization");
  const limit = findLimit(config, name, settings) ?? Number.MAX_SAFE_INTEGER;
  const isBounded = boundedQuotas.has(name);
  const atMost = isBounded ? await store.raiseBound(tx, orgId, name) : undefined;
  if (atMost !== undefined && atMost <= limit) return;
  const used = await store.count(tx, orgId, name);
  if (used >= limit) throw quotaExceeded(name, limit, used);
  if (isBounded) await store.setBound(tx, orgId, name, used + 1);
}

/** How many items the organization keeps for one object; at least one. */
export async function findKeepLimit(
  { config }: Pick<Platform, "config">,
  db: Db,
  orgId: OrgId,
  name: KeptQuota,
): Promise<number> {
  const settings = await store.findLimitSettings(db, orgId, name);
  return Math.max(1, (settings && findLimit(config, name, settings)) ?? Number.MAX_SAFE_INTEGER);
}

/** How many objects the organization may have. For work that adds many at once; others call `takeQuota`. */
export async function findCountLimit(
  { config }: Pick<Platform, "config">,
  db: Db,
  orgId: OrgId,
  name: CountQuota,
): Promise<number> {
  const settings = await store.findLimitSettings(db, orgId, name);
  return (settings && findLimit(config, name, settings)) ?? Number.MAX_SAFE_INTEGER;
}

/** The limits of Idempotency-Key per day. */
export async function idempotencyLimits({ config, db }: Pick<Platform, "config" | "db">, orgId: OrgId) {
  const provisional = await store.isProvisional(db, orgId);
  const overrides = new Map((await store.listOverrides(db, orgId)).map(({ quota, max }) => [quota, max]));
  const findDailyLimit = (name: "idempotency_keys" | "idempotency_storage") =>
    findLimit(config, name, { provisional, override: overrides.get(name) ?? null }) ??
    Number.MAX_SAFE_INTEGER;
  return { keys: findDailyLimit("idempotency_keys"), bytes: findDailyLimit("idempotency_storage") };
}

export const list = (ctx: MemberCtx) => listQuotas(ctx, ctx.orgId);

/** The limits that are set for this organization only. */
export const readLimits = async (db: Db, orgId: OrgId): Promise<Record<string, number>> =>
  Object.fromEntries((await store.listOverrides(db, orgId)).map(({ quota, max }) => [quota, max]));

/** Replaces the limits that are set for this organization only. The others are those of the instance again. */
export async function replaceLimits(
  tx: Db,
  orgId: OrgId,
  limits: Readonly<Record<string, number>>,
): Promise<void> {
  const unknown = Object.keys(limits).find((name) => !quotaNames.includes(name as QuotaName));
  if (unknown !== undefined)
    throw invalidField(
      ["limits", unknown],
      `There is no quota with this name. The quotas are: ${quotaNames.join(", ")}.`,
    );
  await store.replaceOverrides(tx, orgId, limits);
}

export async function listQuotas(
  ctx: Pick<Platform, "config" | "db" | "state">,
  orgId: OrgId,
): Promise<{ items: Quota[]; provisional: boolean }> {
  const { db, config } = ctx;
  // Includes the bytes that this process has not stored yet.
  await ctx.state.get(quotaMeter).flush();
  const provisional = await store.isProvisional(db, orgId);
  const overrides = new Map((await store.listOverrides(db, orgId)).map(({ quota, max }) => [quota, max]));
  const stored = new Map((await store.listUsed(db, orgId)).map(({ quota, ...used }) => [quota, used]));
  const idempotency = await store.findIdempotency(db, orgId);
  const items: Quota[] = [];
  for (const name of quotaNames) {
    const { unit, description } = quotas[name];
    const override = overrides.get(name) ?? null;
    items.push({
      ...{ name, unit, description, overridden: override !== null },
      limit: findLimit(config, name, { provisional, override }) ?? null,
      used: await findUsed(db, orgId, name, stored, idempotency),
      measuredAt: stored.get(name)?.measuredAt ?? null,
    });
  }
  return { items, provisional };
}

async function findUsed(
  db: Db,
  orgId: OrgId,
  name: QuotaName,
  stored: ReadonlyMap<string, store.StoredUsage>,
  idempotency: { keys: number; bytes: number },
): Promise<number | null> {
  switch (name) {
    case "automation_revisions":
    case "template_versions":
    case "webhook_endpoint_deliveries":
      return null;
    case "idempotency_keys":
      return idempotency.keys;
    case "idempotency_storage":
      return idempotency.bytes;
    default:
      return quotas[name].unit === "bytes"
        ? (stored.get(name)?.used ?? 0)
        : store.count(db, orgId, name as CountQuota);
  }
}

const batchSize = 50;

/** Measures the usage that is due. Metered sums drift: a killed process loses bytes, and deletions subtract nothing. */
export async function measureDue(
  platform: Pick<Platform, "bus" | "config" | "db" | "log">,
  until: number,
): Promise<void> {
  const { config, db } = platform;
  const findDefaultLimits = (quota: ByteQuota): store.DefaultLimits => ({
    quota,
    limit: findLimit(config, quota, { provisional: false, override: null }) ?? null,
    provisional: findLimit(config, quota, { provisional: true, override: null }) ?? null,
  });
  const names = quotaNames.filter((name): name is ByteQuota => quotas[name].unit === "bytes");
  while (Date.now() < until) {
    const due = await store.listToMeasureAcrossOrganizations(db, names.map(findDefaultLimits), batchSize);
    for (const { orgId, quota, used } of due) {
      await store.setMeasured(db, orgId, quota, await store.measure(db, orgId, quota), used);
      if (Date.now() >= until) return;
    }
    if (due.length < batchSize) return;
  }
}
