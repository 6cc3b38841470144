-- Deliveries of code hosts are in partitions of a week, so that retention drops a table instead of deleting rows and
-- their bodies.
--
-- Ids begin with the time, so the id decides the partition and stays the primary key. That a delivery id is accepted once
-- in its scope is now the key of a small table, because a key of a partitioned table must contain the id.
--
-- Not while the service runs: processes of the earlier version cannot store deliveries afterwards. The existing table
-- becomes the first partition; it is read once, and its keys are copied (about 6 s for a million deliveries).

create table webhook_delivery_keys (
  scope text not null collate "C",
  delivery_id text not null collate "C",
  id text not null collate "C",
  primary key (scope, delivery_id)
);
insert into webhook_delivery_keys (scope, delivery_id, id) select scope, delivery_id, id from webhook_deliveries;
create index webhook_delivery_keys_id on webhook_delivery_keys (id);

/* The first ten digits of the ids of a time. */
create function id_digits_at(at timestamptz) returns text language sql stable as $$
  select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
    ((floor(extract(epoch from at) * 1000)::bigint >> (5 * n)) & 31)::int + 1, 1), '' order by n desc)
  from generate_series(0, 9) n
$$;

create or replace function partition_bound(parent text, week timestamptz) returns text language sql stable as $$
  select case parent
    when 'automation_events' then run_number_at(week)::text
    when 'webhook_deliveries' then quote_literal('whd_' || id_digits_at(week)) end
$$;

create or replace function add_partition(parent text, week timestamptz) returns boolean language plpgsql
  set lock_timeout = '2s' as $$
declare
  name text := parent || to_char(week at time zone 'UTC', '_YYYYMMDD');
begin
  if to_regclass(name) is not null then return false; end if;
  execute format('create table %I (like %I including defaults including constraints including storage including compression)',
    name, parent);
  -- A push of a usual size, compressed, stays in the row. A partitioned table has no such option.
  if parent = 'webhook_deliveries' then execute format('alter table %I set (toast_tuple_target = 8160)', name); end if;
  execute format('alter table %I attach partition %I for values from (%s) to (%s)',
    parent, name, partition_bound(parent, week), partition_bound(parent, week + interval '7 days'));
  return true;
exception when lock_not_available or check_violation or invalid_object_definition then return false;
end $$;

drop view webhook_targets;
-- Targets are removed by the trigger below, and with their partition by the job.
alter table webhook_delivery_targets drop constraint webhook_delivery_targets_delivery_fkey;
alter table webhook_deliveries drop constraint webhook_deliveries_scope_delivery_id_key;
alter table webhook_deliveries rename to webhook_deliveries_old;
alter table webhook_deliveries_old
  rename constraint webhook_deliveries_org_id_fkey to webhook_deliveries_old_org_id_fkey;
alter table webhook_deliveries_old
  rename constraint webhook_deliveries_target_connector_id_fkey to webhook_deliveries_old_target_connector_id_fkey;
alter index webhook_deliveries_pkey rename to webhook_deliveries_old_pkey;
alter index webhook_deliveries_altered rename to webhook_deliveries_old_altered;
alter index webhook_deliveries_org rename to webhook_deliveries_old_org;
alter index webhook_deliveries_target_connector rename to webhook_deliveries_old_target_connector;
alter index webhook_deliveries_target_org rename to webhook_deliveries_old_target_org;
alter index webhook_deliveries_org_outcome rename to webhook_deliveries_old_org_outcome;
alter index webhook_deliveries_connector_outcome rename to webhook_deliveries_old_connector_outcome;
alter index webhook_deliveries_org_event rename to webhook_deliveries_old_org_event;
alter index webhook_deliveries_connector_event rename to webhook_deliveries_old_connector_event;

create table webhook_deliveries (
  like webhook_deliveries_old including defaults including constraints including storage including compression,
  primary key (id),
  foreign key (org_id) references organizations on delete cascade,
  foreign key (target_connector_id) references connectors on delete cascade
) partition by range (id);
create index webhook_deliveries_altered on webhook_deliveries (coalesce(target_org_id, org_id), altered_at)
  where altered_at is not null;
create index webhook_deliveries_org on webhook_deliveries (org_id, id desc) where org_id is not null;
create index webhook_deliveries_target_connector on webhook_deliveries (target_connector_id, id desc)
  where target_connector_id is not null;
create index webhook_deliveries_target_org on webhook_deliveries (target_org_id, id desc)
  where target_org_id is not null;
create index webhook_deliveries_org_outcome on webhook_deliveries (target_org_id, outcome, id collate "POSIX" desc)
  where outcome <> 'accepted';
create index webhook_deliveries_connector_outcome on webhook_deliveries
  (target_connector_id, outcome, id collate "POSIX" desc) where outcome <> 'accepted';
create index webhook_deliveries_org_event on webhook_deliveries (target_org_id, event, id collate "POSIX" desc)
  where event <> 'push';
create index webhook_deliveries_connector_event on webhook_deliveries
  (target_connector_id, event, id collate "POSIX" desc) where event <> 'push';

do $$
declare
  week timestamptz := first_day_of_week(now());
begin
  -- The clock of a process may have been ahead.
  while exists (select from webhook_deliveries_old where id >= 'whd_' || id_digits_at(week + interval '7 days')) loop
    week := week + interval '7 days';
  end loop;
  execute format('alter table webhook_deliveries_old rename to %I',
    'webhook_deliveries' || to_char(week at time zone 'UTC', '_YYYYMMDD'));
  execute format('alter table webhook_deliveries attach partition %I for values from (minvalue) to (%s)',
    'webhook_deliveries' || to_char(week at time zone 'UTC', '_YYYYMMDD'),
    partition_bound('webhook_deliveries', week + interval '7 days'));
  for n in 1..4 loop
    perform add_partition('webhook_deliveries', week + n * interval '7 days');
  end loop;
end $$;
create table webhook_deliveries_default partition of webhook_deliveries default with (toast_tuple_target = 8160);

create view webhook_targets as
select id as delivery, target_connector_id as connector_id, target_org_id as org_id, target_sync_id as sync_id
from webhook_deliveries
union all
select delivery, connector_id, org_id, sync_id from webhook_delivery_targets;

-- The key and the targets of a delivery go with it, whatever deletes it. A dropped partition calls no trigger.
create function webhook_deliveries_remove_keys() returns trigger language plpgsql as $$ begin
  delete from webhook_delivery_keys k using gone where k.scope = gone.scope and k.delivery_id = gone.delivery_id
    and k.id = gone.id;
  delete from webhook_delivery_targets t using gone where t.delivery = gone.id;
  return null;
end $$;
create trigger webhook_deliveries_gone after delete on webhook_deliveries
  referencing old table as gone for each statement execute function webhook_deliveries_remove_keys();
