-- Events that are reported together share a row. A report of 50 events wrote 50 rows, each with an entry in the index and
-- in the log of PostgreSQL; now it writes one.
--
-- A row has consecutive events of one attempt, as a JSON array with type, createdAt and payload of each. The text has
-- exactly the form that the service writes, because it compares the sizes of events that are reported again. Each row names
-- the event before its first one, and no two rows name the same event: of two reports that follow the same event, one is
-- refused by the primary key.
--
-- Not while the service runs: events are copied, about 15 s for a million. Processes of the earlier version cannot store
-- events afterwards.

alter table automation_events rename to automation_events_old;
alter index automation_events_pkey rename to automation_events_old_pkey;
create table automation_events (
  run_no bigint not null,
  -- -1 in the first row of an attempt.
  previous_sequence bigint not null,
  last_sequence bigint not null,
  received_at timestamptz not null default now(),
  attempt int not null,
  -- The last event ends the attempt.
  is_terminal boolean not null,
  org_id text not null collate "C",
  events text not null,
  primary key (run_no, attempt, previous_sequence)
) partition by range (run_no);
-- Compressed, and in the row itself as long as the row fits in a page.
alter table automation_events alter column events set storage main;
do $$ begin
  alter table automation_events alter column events set compression lz4;
exception when feature_not_supported then null;
end $$;

-- The same partitions. Their names and those of their indexes are free first.
do $$
declare
  part record;
begin
  for part in
    select c.relname as name, k.relname as key, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
      join pg_index x on x.indrelid = c.oid and x.indisprimary join pg_class k on k.oid = x.indexrelid
    where i.inhparent = 'automation_events_old'::regclass
  loop
    execute format('alter table %I rename to %I', part.name, part.name || '_old');
    execute format('alter index %I rename to %I', part.key, part.key || '_old');
    execute format('create table %I partition of automation_events %s', part.name, part.bound);
    execute format(
      'insert into %I (run_no, previous_sequence, last_sequence, received_at, attempt, is_terminal, org_id, events)
      select run_no, coalesce(lag(sequence) over (partition by run_no, attempt order by sequence), -1), sequence,
        received_at, attempt, type = ''terminal'', org_id,
        ''[{"type":"'' || type || ''","createdAt":'' || created_at || '',"payload":'' || payload || ''}]''
      from %I', part.name, part.name || '_old');
  end loop;
end $$;
drop table automation_events_old;
drop type automation_event_type;
