-- Administration of the instance: organizations can be suspended, the first account is recorded, and reports read daily
-- sums instead of every run.
-- While serving: new columns are nullable, so no row is rewritten. The index on `users` blocks sign-ups while it is
-- built, some milliseconds per ten thousand accounts. Processes of the previous version do not know the columns, so no
-- organization should be suspended before all of them are replaced.

-- Its members, keys, schedules and hooks are refused or wait until it is restored. The data stays.
alter table organizations add column suspended_at timestamptz;
alter table organizations add column suspended_reason text;
create index organizations_suspended on organizations (id) where suspended_at is not null;
-- When it was last restored. Its workers are not removed as unseen before they could come back.
alter table organizations add column restored_at timestamptz;
create index organizations_restored on organizations (restored_at) where restored_at is not null;

-- Serves the search by the beginning of an address, and the list in the order of addresses.
create index users_email_order on users (email collate "C");

-- The account that administers an embedded instance without ADMIN_EMAILS. Not a reference: when the account is deleted,
-- no other account takes its place.
create table first_account (
  single boolean primary key default true check (single),
  user_id text collate "C" not null
);
insert into first_account (user_id)
select id from users where not provisional and created_by_org_id is null order by created_at, id limit 1;

create function keep_first_account() returns trigger language plpgsql as $$ begin
  insert into first_account (user_id) values (new.id) on conflict do nothing;
  return null;
end $$;
create trigger users_first_account after insert on users for each row
  when (not new.provisional and new.created_by_org_id is null) execute function keep_first_account();

-- What each organization did on a day (UTC). Rows of a day count only while `usage_rollups` has the day as complete.
create table usage_days (
  day date not null,
  org_id text collate "C" not null references organizations (id) on delete cascade,
  succeeded bigint not null,
  failed bigint not null,
  cancelled bigint not null,
  skipped bigint not null,
  reports bigint not null,
  unpriced_reports bigint not null,
  held_reports bigint not null,
  input_tokens numeric not null,
  output_tokens numeric not null,
  cost_micros numeric not null,
  primary key (day, org_id)
);
create index usage_days_org on usage_days (org_id, day);

-- A day that is not complete is added up from the runs and reports themselves. A correction makes its day incomplete;
-- it waits for the row while the day is being added up.
create table usage_rollups (
  day date primary key,
  completed_at timestamptz
);

create function reopen_usage_day() returns trigger language plpgsql as $$ begin
  update usage_rollups set completed_at = null
  where day in ((old.reported_at at time zone 'UTC')::date, (new.reported_at at time zone 'UTC')::date);
  return null;
end $$;
create trigger automation_usage_corrected after update on automation_usage for each row
  execute function reopen_usage_day();

-- The size of the database on each day, to show its growth.
create table database_sizes (
  day date primary key,
  bytes bigint not null,
  measured_at timestamptz not null default now()
);
