-- What maintenance commands leave in the database itself: when the last backup was made, that the instance has moved
-- to another database, and that a move to this database is not finished. A process reads the marks at its start, so
-- that nobody serves a copy that is not in force. Backups and moves do not copy this table.
-- While serving: safe, the table is new.

create table maintenance_marks (
  name text primary key check (name in ('last_backup', 'moved_to', 'moving_from')),
  detail jsonb not null,
  marked_at timestamptz not null default now()
);
