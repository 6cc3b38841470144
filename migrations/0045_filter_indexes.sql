-- Single filters of lists that examined up to 20,000 rows when few rows matched are served by indexes. Runs of a member
-- with a rare status took 140 ms among a million runs. The indexes have the id with the collation POSIX, as in
-- 0014_list_filters.sql.
--
-- Indexes of tables with hot inserts leave out the most common value, so that the hot path writes no further entry. The
-- index of the whole list serves that value.
--
-- Safe while the service runs, but writes to these tables wait while an index is built: a few seconds for a million rows.

drop index automation_runs_status;
create index automation_runs_status on automation_runs (org_id, status, id collate "POSIX" desc);
create index automation_runs_member_status on automation_runs (org_id, member_id, status, id collate "POSIX" desc);
create index automation_runs_automation_member on automation_runs
  (automation_id, member_id, id collate "POSIX" desc);
create index automation_runs_automation_status on automation_runs (automation_id, status, id collate "POSIX" desc);

create index audit_events_credential on audit_events (scope, credential, id collate "POSIX" desc)
  where credential <> 'session';
create index audit_events_target_type on audit_events (scope, target_type, id collate "POSIX" desc);

create index connector_syncs_connector_status on connector_syncs (connector_id, status, id collate "POSIX" desc)
  where status in ('failed', 'superseded');

create index telemetry_events_type on telemetry_events (org_id, type, id collate "POSIX" desc)
  where type <> 'model_call';

create index webhook_endpoint_deliveries_status on webhook_endpoint_deliveries
  (endpoint_id, status, id collate "POSIX" desc) where status <> 'succeeded';

-- Nearly all deliveries are pushes that were accepted.
create index webhook_deliveries_org_outcome on webhook_deliveries (target_org_id, outcome, id collate "POSIX" desc)
  where outcome <> 'accepted';
create index webhook_deliveries_connector_outcome on webhook_deliveries
  (target_connector_id, outcome, id collate "POSIX" desc) where outcome <> 'accepted';
create index webhook_deliveries_org_event on webhook_deliveries (target_org_id, event, id collate "POSIX" desc)
  where event <> 'push';
create index webhook_deliveries_connector_event on webhook_deliveries
  (target_connector_id, event, id collate "POSIX" desc) where event <> 'push';
