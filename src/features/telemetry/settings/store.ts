import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { TelemetrySettings } from "./contract.ts";

export interface StoredSettings extends TelemetrySettings {
  /** When the first day begins whose events were not deleted. */
  prunedBefore: number | null;
  /** When telemetry was last switched on, if it was off before. */
  countedFrom: number | null;
}

export const find = (db: Db, orgId: OrgId) =>
  db.row<StoredSettings>(sql`
    select enabled, keeps_contents as "keepsContents", retention_days as "retentionDays",
      (extract(epoch from pruned_before) * 1000)::bigint as "prunedBefore",
      (extract(epoch from counted_from) * 1000)::bigint as "countedFrom"
    from telemetry_settings where org_id = ${orgId}`);

export const save = (db: Db, orgId: OrgId, { enabled, keepsContents, retentionDays }: TelemetrySettings) =>
  db.run(sql`
    insert into telemetry_settings as s (org_id, enabled, keeps_contents, retention_days)
    values (${orgId}, ${enabled}, ${keepsContents}, ${retentionDays})
    on conflict (org_id) do update set enabled = excluded.enabled, keeps_contents = excluded.keeps_contents,
      retention_days = excluded.retention_days, updated_at = now(), pruned_on = null,
      counted_from = case when excluded.enabled and not s.enabled then now() else s.counted_from end`);

/** Notes that earlier events are being deleted. It never goes back. A new row was never changed by anybody. */
export const markPruned = (db: Db, orgId: OrgId, day: string) =>
  db.run(sql`
    insert into telemetry_settings as s (org_id, pruned_before, updated_at)
    select id, ${day}::date, to_timestamp(0) from organizations where id = ${orgId}
    on conflict (org_id) do update set pruned_before = greatest(s.pruned_before, excluded.pruned_before)
    where s.pruned_before is distinct from greatest(s.pruned_before, excluded.pruned_before)`);

/** Notes that everything beyond this retention was deleted on this day, unless the retention has changed meanwhile. */
export const markPrunedOn = (db: Db, orgId: OrgId, day: string, retentionDays: number) =>
  db.run(sql`
    update telemetry_settings set pruned_on = ${day}::date
    where org_id = ${orgId} and retention_days = ${retentionDays}`);
