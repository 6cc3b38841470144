-- Written with every push: the organization goes with its connector. Referred to by itself, all pushes of an
-- organization would lock its one row at the same moment, which costs more than writing the work.
alter table connector_syncs drop constraint connector_syncs_org_id_fkey;

-- Nearly every delivery concerns one connector, so that one is named in the delivery's own row: a row, an index
-- and a reference less to write with every push. What was about one connector alone goes with it. Those that
-- concern several, and those from before, have theirs in webhook_delivery_targets; none has them in both.
-- While serving: nothing comes in while the two indexes are made, for each of which the table is read once.
alter table webhook_deliveries
  add column target_connector_id text collate "C" references connectors on delete cascade,
  add column target_org_id text collate "C",
  -- The work that was asked for; there is none where another delivery asked for the same at that moment.
  add column target_sync_id text collate "C";
create index webhook_deliveries_target_org on webhook_deliveries (target_org_id, id desc)
  where target_org_id is not null;
create index webhook_deliveries_target_connector on webhook_deliveries (target_connector_id, id desc)
  where target_connector_id is not null;

-- Both together. Ask for an organization or a connector: what has no sole target is in the first half with nulls,
-- since with a condition there the two would no longer be read in order, page by page, from their indexes.
create view webhook_targets as
select id as delivery, target_connector_id as connector_id, target_org_id as org_id, target_sync_id as sync_id
from webhook_deliveries
union all
select delivery, connector_id, org_id, sync_id from webhook_delivery_targets;
