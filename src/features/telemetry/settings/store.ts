import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { TelemetrySettings } from "./contract.ts";

export interface StoredSettings extends TelemetrySettings {
  /** When the first day begins whose events were not deleted. */
  prunedBefore: number | null;
}

export const find = (db: Db, orgId: OrgId) =>
  db.row<StoredSettings>(sql`
    select enabled, keeps_contents as "keepsContents", retention_days as "retentionDays",
      (extract(epoch from pruned_before) * 1000)::bigint as "prunedBefore"
    from telemetry_settings where org_id = ${orgId}`);

export const save = (db: Db, orgId: OrgId, { enabled, keepsContents, retentionDays }: TelemetrySettings) =>
  db.run(sql`
    insert into telemetry_settings (org_id, enabled, keeps_contents, retention_days)
    values (${orgId}, ${enabled}, ${keepsContents}, ${retentionDays})
    on conflict (org_id) do update set enabled = excluded.enabled, keeps_contents = excluded.keeps_contents,
      retention_days = excluded.retention_days, updated_at = now()`);

/** Notes that earlier events are being deleted. It never goes back. */
export const markPruned = (db: Db, orgId: OrgId, day: string) =>
  db.run(sql`
    insert into telemetry_settings as s (org_id, pruned_before)
    select id, ${day}::date from organizations where id = ${orgId}
    on conflict (org_id) do update set pruned_before = greatest(s.pruned_before, excluded.pruned_before)
    where s.pruned_before is distinct from greatest(s.pruned_before, excluded.pruned_before)`);
