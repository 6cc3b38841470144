import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import { type DesiredRow, desiredColumns } from "../desired/index.ts";
import { freshness, isDrifted, skew } from "../states/index.ts";
import type { Runtime, RuntimeReport } from "./contract.ts";

/** Of `workers w left join worker_runtimes r`. */
const columns = sql`r.version, r.api_version as "apiVersion", r.platform, r.arch,
  coalesce(r.capabilities, '{}') as capabilities, coalesce(r.limits, '{}') as limits,
  coalesce(r.services, '[]') as services, r.configuration_revision as "configurationRevision",
  w.desired_version as "desiredVersion", w.configuration_revision as "desiredConfigurationRevision",
  ${isDrifted} as drift, ${skew} as skew, ${freshness} as freshness, r.reported_at as "reportedAt"`;

export const find = (db: Db, orgId: OrgId, workerId: string) =>
  db.row<Omit<Runtime, "health">>(sql`
    select ${columns} from workers w left join worker_runtimes r on r.worker_id = w.id
    where w.org_id = ${orgId} and w.id = ${workerId}`);

/**
 * Locks the worker, so that its upgrade does not change at the same time. Reads afterwards, so that a caller that waited
 * for the lock sees the latest report.
 */
export const lock = async (tx: Db, orgId: OrgId, workerId: string) => {
  await tx.rows(sql`select from workers where org_id = ${orgId} and id = ${workerId} for no key update`);
  return tx.row<DesiredRow & { reportedVersion: string | null; bootId: string | null }>(sql`
    select ${desiredColumns}, r.version as "reportedVersion", r.boot_id as "bootId"
    from workers w left join worker_runtimes r on r.worker_id = w.id
    where w.org_id = ${orgId} and w.id = ${workerId}`);
};

export const save = (tx: Db, orgId: OrgId, workerId: string, report: RuntimeReport) =>
  tx.run(sql`
    insert into worker_runtimes as r (worker_id, version, api_version, platform, arch, capabilities, limits, services,
      boot_id, configuration_revision, reported_at)
    select w.id, ${report.version}, ${report.apiVersion}::int, ${report.platform}, ${report.arch},
      ${report.capabilities}::text[], ${JSON.stringify(report.limits)}::text::jsonb,
      ${JSON.stringify(report.services)}::text::jsonb, ${report.bootId ?? null},
      ${report.configurationRevision ?? null}::int, now()
    from workers w where w.org_id = ${orgId} and w.id = ${workerId}
    on conflict (worker_id) do update set version = excluded.version, api_version = excluded.api_version,
      platform = excluded.platform, arch = excluded.arch, capabilities = excluded.capabilities,
      limits = excluded.limits, services = excluded.services, boot_id = excluded.boot_id,
      configuration_revision = excluded.configuration_revision, reported_at = now()`);

/** A drain request applies to the process that was running at that time. */
export const endDrain = (tx: Db, orgId: OrgId, workerId: string) =>
  tx.run(sql`
    update workers set drain_requested_at = null
    where org_id = ${orgId} and id = ${workerId} and drain_requested_at is not null`);
