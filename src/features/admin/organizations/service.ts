import type { Ctx, OrgId, PersonCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { invalidateCallers, readPage } from "../../../platform/http/index.ts";
import { isId } from "../../../platform/ids.ts";
import { type Change, record, recordAsSystem } from "../../audit/index.ts";
import { lockOrganization, type Organization, setSuspension } from "../../organizations/index.ts";
import { listQuotas, readLimits, replaceLimits } from "../../quotas/index.ts";
import { findLastDays, noUsage, sumByOrganizationAcrossOrganizations } from "../usage/index.ts";
import type { AdminOrganization, listQuery } from "./contract.ts";
import * as store from "./store.ts";

export async function list({ db }: Ctx, query: (typeof listQuery)["_output"]) {
  const { state, search, days } = query;
  const page = await readPage(store.listAcrossOrganizations(db, { state, search }), query, "org");
  return { items: await addUsage(db, page.items, days), nextCursor: page.nextCursor };
}

async function addUsage(
  db: Db,
  rows: readonly store.OrganizationRow[],
  days: number,
): Promise<AdminOrganization[]> {
  const ids = rows.map(({ id }) => id);
  const found =
    rows.length === 0 ? [] : await sumByOrganizationAcrossOrganizations(db, findLastDays(days), ids);
  const usage = new Map(found.map((one) => [one.organizationId, one]));
  return rows.map((row) => {
    const { runs, failures, costMicros } = usage.get(row.id) ?? noUsage;
    return { ...row, runs, failures, costMicros };
  });
}

const defaultDays = 30;

async function readOne(db: Db, orgId: OrgId, days = defaultDays): Promise<AdminOrganization> {
  const row = await store.find(db, orgId);
  if (!row) throw notFound("organization");
  return (await addUsage(db, [row], days))[0]!;
}

function requireOrgId(id: string): OrgId {
  if (!isId("org", id)) throw notFound("organization");
  return id;
}

export async function read(ctx: Ctx, id: string, { days }: { days: number }) {
  const orgId = requireOrgId(id);
  const organization = await readOne(ctx.db, orgId, days);
  return { organization, quotas: (await listQuotas(ctx, orgId)).items };
}

export async function suspend(ctx: PersonCtx, id: string, { reason }: { reason: string }) {
  return ctx.db.transaction(async (tx) => {
    const { suspendedAt, id: orgId } = await lock(tx, id);
    if (suspendedAt !== null)
      throw conflict("organization_suspended", "This organization is suspended already.");
    await setSuspension(tx, orgId, reason);
    await recordForBoth(ctx, tx, orgId, { action: "organization.suspended", after: { reason } });
    await invalidateCallers(ctx.bus, tx, orgId);
    return { organization: await readOne(tx, orgId) };
  });
}

/** The job of `scim` that links people who proved their address, or whose domain was verified, meanwhile. */
const followDirectory = { name: "scim.organization-restored" };

export async function restore(ctx: PersonCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    const { suspendedAt, id: orgId } = await lock(tx, id);
    if (suspendedAt === null)
      throw conflict("organization_not_suspended", "This organization is not suspended.");
    await setSuspension(tx, orgId, null);
    await ctx.jobs.add(tx, followDirectory, { orgId });
    await recordForBoth(ctx, tx, orgId, { action: "organization.restored", before: { suspendedAt } });
    await invalidateCallers(ctx.bus, tx, orgId);
    return { organization: await readOne(tx, orgId) };
  });
}

export async function setLimits(ctx: PersonCtx, id: string, { limits }: { limits: Record<string, number> }) {
  const orgId = await ctx.db.transaction(async (tx) => {
    const { id: orgId } = await lock(tx, id);
    const before = await readLimits(tx, orgId);
    await replaceLimits(tx, orgId, limits);
    await recordForBoth(ctx, tx, orgId, { action: "organization.limits_changed", before, after: limits });
    return orgId;
  });
  return { quotas: (await listQuotas(ctx, orgId)).items };
}

async function lock(tx: Db, id: string): Promise<Organization> {
  const organization = await lockOrganization(tx, requireOrgId(id));
  if (!organization) throw notFound("organization");
  return organization;
}

/**
 * Records the change in the log of the instance, with the person who made it, and in the audit log of the organization.
 * There the actor is the system: who administers the instance is not the organization's to know.
 */
async function recordForBoth(
  ctx: PersonCtx,
  tx: Db,
  orgId: OrgId,
  change: Omit<Change, "target">,
): Promise<void> {
  const target = { type: "organization", id: orgId };
  // Each entry locks its log. Like everywhere, that of the instance is the last, so that nobody waits in a circle.
  await recordAsSystem(tx, orgId, { ...change, target });
  await record(ctx, tx, { ...change, target }, null);
}
