-- Events of runs are in partitions of a week, so that retention drops a table instead of deleting rows, and each event
-- names its organization, so that the table can be distributed by it (docs/scale.md).
--
-- The number of a run now begins with the second of its creation. All events of a run are in the partition of that
-- second, so the primary key stays (run_no, attempt, sequence) and event numbers stay unique. Numbers of earlier runs are
-- smaller; their events are in the first partition.
--
-- Not while the service runs: events are copied, about 15 s for a million. Processes of the earlier version cannot store
-- events afterwards.

create sequence automation_run_numbers;

/* Seconds since 2026, then 22 bits that count. 53 bits are enough until 2094. */
create function run_number_at(at timestamptz) returns bigint language sql stable as $$
  select (floor(extract(epoch from at))::bigint - 1767225600) << 22
$$;
create function next_run_number() returns bigint language sql volatile as $$
  select run_number_at(now()) | (nextval('automation_run_numbers') & 4194303)
$$;
alter table automation_runs alter column no drop identity;
alter table automation_runs alter column no set default next_run_number();

-- Partitions of a week are named after their first day.

create function partition_bound(parent text, week timestamptz) returns text language sql stable as $$
  select case parent when 'automation_events' then run_number_at(week)::text end
$$;

-- Returns false when the partition exists, when rows of the week are already in the default partition, or when the table
-- is busy. Rows without a partition go to the default one, so a missing partition refuses no row.
create function add_partition(parent text, week timestamptz) returns boolean language plpgsql
  set lock_timeout = '2s' as $$
declare
  name text := parent || to_char(week at time zone 'UTC', '_YYYYMMDD');
begin
  if to_regclass(name) is not null then return false; end if;
  execute format('create table %I (like %I including defaults including constraints including storage including compression)',
    name, parent);
  execute format('alter table %I attach partition %I for values from (%s) to (%s)',
    parent, name, partition_bound(parent, week), partition_bound(parent, week + interval '7 days'));
  return true;
exception when lock_not_available or check_violation or invalid_object_definition then return false;
end $$;

-- Returns false when the table is busy.
create function drop_partition(name text) returns boolean language plpgsql set lock_timeout = '2s' as $$
begin
  execute format('drop table %I', name);
  return true;
exception when lock_not_available then return false;
end $$;

create function first_day_of_week(at timestamptz) returns timestamptz language sql stable as $$
  select date_trunc('week', at, 'UTC')
$$;

alter table automation_events rename to automation_events_old;
alter index automation_events_pkey rename to automation_events_old_pkey;
create table automation_events (
  run_no bigint not null,
  sequence bigint not null,
  created_at bigint not null,
  received_at timestamptz not null default now(),
  attempt int not null,
  type automation_event_type not null,
  org_id text not null collate "C",
  payload json not null,
  primary key (run_no, attempt, sequence)
) partition by range (run_no);
do $$ begin
  alter table automation_events alter column payload set compression lz4;
exception when feature_not_supported then null;
end $$;

create table automation_events_default partition of automation_events default;
do $$
declare
  week timestamptz := first_day_of_week(now());
begin
  execute format('create table %I partition of automation_events for values from (minvalue) to (%s)',
    'automation_events' || to_char((week - interval '7 days') at time zone 'UTC', '_YYYYMMDD'),
    run_number_at(week));
  for n in 0..4 loop
    perform add_partition('automation_events', week + n * interval '7 days');
  end loop;
end $$;

-- Events of deleted runs are left out: the job would remove them.
insert into automation_events (run_no, sequence, created_at, received_at, attempt, type, org_id, payload)
select e.run_no, e.sequence, e.created_at, e.received_at, e.attempt, e.type, r.org_id, e.payload
from automation_events_old e join automation_runs r on r.no = e.run_no;
drop table automation_events_old;
truncate automation_event_leftovers;

-- Events that are removed one by one: of deleted runs, and of runs whose partition is not dropped in time.
alter table automation_event_leftovers
  add column org_id text not null collate "C",
  add column due_at timestamptz not null default now();
create index automation_event_leftovers_due on automation_event_leftovers (due_at);
create or replace function automation_runs_leave_events() returns trigger language plpgsql as $$ begin
  insert into automation_event_leftovers (run_no, org_id) select no, org_id from gone
  on conflict (run_no) do update set due_at = now();
  return null;
end $$;
