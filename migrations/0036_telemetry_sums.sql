-- Telemetry: one table of sums instead of two with the same columns, sums of any size, and two marks in the settings.
-- While serving: the sums are copied, which takes seconds for a million of them. Processes of the previous version
-- cannot store or summarize telemetry until they are replaced.

alter table telemetry_settings
  -- When telemetry was last switched on. Counters that began earlier count from their first point after it.
  add column counted_from timestamptz,
  -- The last day on which everything beyond the retention was deleted. Null after a change of the settings.
  add column pruned_on date;

-- What requests added by day and group. Every request writes rows of its own, so requests never wait for each other. A
-- job merges the rows of a group. The sum over all rows of a group is exact at any time. The empty text stands for
-- "none". Without a foreign key, which every request would check: a job deletes the rows of deleted organizations.
create table telemetry_sums (
  no bigint generated always as identity primary key,
  org_id text not null collate "C",
  day date not null,
  type text not null collate "C",
  member_id text not null collate "C",
  model text not null collate "C",
  worker_id text not null collate "C",
  automation_id text not null collate "C",
  is_merged boolean not null default false,
  events bigint not null,
  failures bigint not null,
  -- Senders choose these figures, so no integer type is large enough for their sums.
  input_tokens numeric not null,
  output_tokens numeric not null,
  cache_read_tokens numeric not null,
  cache_write_tokens numeric not null,
  cost_micros numeric not null,
  priced_events bigint not null,
  unpriced_events bigint not null,
  duration_ms numeric not null,
  timed_events bigint not null,
  value numeric not null
);

-- Rows that another process adds after the copy would be lost with their table.
lock table telemetry_additions, telemetry_days in exclusive mode;

insert into telemetry_sums (org_id, day, type, member_id, model, worker_id, automation_id, is_merged, events, failures,
  input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros, priced_events, unpriced_events,
  duration_ms, timed_events, value)
select org_id, day, type, member_id, model, worker_id, automation_id, true, events, failures, input_tokens,
  output_tokens, cache_read_tokens, cache_write_tokens, cost_micros, priced_events, unpriced_events, duration_ms,
  timed_events, value
from telemetry_days
union all
select org_id, day, type, member_id, model, worker_id, automation_id, false, events, failures, input_tokens,
  output_tokens, cache_read_tokens, cache_write_tokens, cost_micros, priced_events, unpriced_events, duration_ms,
  timed_events, value
from telemetry_additions;

create index telemetry_sums_group on telemetry_sums (org_id, day, type, member_id, model);
create index telemetry_sums_new on telemetry_sums (no) where not is_merged;

drop table telemetry_additions;
drop table telemetry_days;

-- The identity of a series now includes who reports it. Counters of before begin again with their next point.
insert into telemetry_settings (org_id, counted_from)
select distinct org_id, now() from telemetry_points
on conflict (org_id) do update set counted_from = excluded.counted_from;
truncate telemetry_points;
