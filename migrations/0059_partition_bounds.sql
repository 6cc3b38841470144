-- The bounds of a partition are read from the catalogue. On servers whose time zone changes its clocks, earlier versions
-- created partitions that begin an hour before or after Monday in UTC. Their names do not say so: such a week overlapped
-- the next one, which got no partition, and retention dropped the rows of up to 23 hours with the week before.
--
-- While serving: safe. Only functions change.

-- When the rows begin to which this bound leads: the opposite of `partition_bound`.
create function partition_time(parent text, bound text) returns timestamptz language sql stable as $$
  select case parent
    when 'automation_events' then to_timestamp((bound::bigint >> 22) + 1767225600)
    when 'webhook_deliveries' then to_timestamp((
      select sum((strpos('0123456789abcdefghjkmnpqrstvwxyz', digit) - 1) * 32::numeric ^ (10 - place))
      from regexp_split_to_table(substr(bound, 5, 10), '') with ordinality t (digit, place)) / 1000) end
$$;

-- The partitions of a week. `starts_at` is null for the one that also holds all earlier rows.
create function list_partitions(parent text) returns table (name text, starts_at timestamptz, ends_at timestamptz)
  language sql stable as $$
  select c.relname::text, case when b.bounds[1] <> 'MINVALUE' then partition_time(parent, b.bounds[1]) end,
    partition_time(parent, b.bounds[2])
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  cross join lateral (select regexp_match(pg_get_expr(c.relpartbound, c.oid),
    'FROM \(''?(\w+)''?\) TO \(''?(\w+)''?\)') as bounds) b
  where i.inhparent = to_regclass(parent) and b.bounds is not null
  order by 3
$$;

-- Returns false when the partition exists, when the week has partitions already, when rows of the week are in the default
-- partition, or when the table is busy. Rows without a partition go to the default one, so a missing partition refuses no
-- row.
create or replace function add_partition(parent text, week timestamptz) returns boolean language plpgsql
  set lock_timeout = '2s' set timezone = 'UTC' as $$
declare
  name text := parent || to_char(week, '_YYYYMMDD');
  ends_at timestamptz := week + interval '7 days';
  -- A partition of an earlier version can end within the week.
  starts_at timestamptz := greatest(week, (select max(p.ends_at) from list_partitions(parent) p
    where p.ends_at > week and coalesce(p.starts_at, '-infinity') < week + interval '7 days'));
begin
  if to_regclass(name) is not null or starts_at >= ends_at then return false; end if;
  execute format('create table %I (like %I including defaults including constraints including storage including compression)',
    name, parent);
  -- A push of a usual size, compressed, stays in the row. A partitioned table has no such option.
  if parent = 'webhook_deliveries' then execute format('alter table %I set (toast_tuple_target = 8160)', name); end if;
  execute format('alter table %I attach partition %I for values from (%s) to (%s)',
    parent, name, partition_bound(parent, starts_at), partition_bound(parent, ends_at));
  return true;
exception when lock_not_available or check_violation or invalid_object_definition then return false;
end $$;
