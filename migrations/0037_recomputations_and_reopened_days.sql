-- Costs are recomputed once for many corrections of prices, and a correction reopens the reports of its own
-- organization only.
-- While serving: both tables are new, and the trigger is replaced at once. Processes of the previous version do not read
-- `usage_reopened_days`: until they are replaced, their reports show corrections of complete days late.

-- The costs of an organization that are computed again. Requests that come meanwhile are merged into this row.
create table llm_recomputations (
  org_id text collate "C" primary key references organizations (id) on delete cascade,
  -- In lower case. Null: every model.
  model text,
  from_at timestamptz not null,
  -- The last report that is done. Null: none.
  position jsonb,
  -- Organizations take turns: the one that waited longest is next.
  advanced_at timestamptz not null default now()
);

-- Complete days whose reports were corrected, by organization. Until a job has stored them again, they are added up from
-- the reports.
create table usage_reopened_days (
  day date not null,
  org_id text collate "C" not null references organizations (id) on delete cascade,
  primary key (day, org_id)
);
create index usage_reopened_days_org on usage_reopened_days (org_id);

-- The row is locked even when it exists, so that the job waits for this correction before it adds up the day.
create or replace function reopen_usage_day() returns trigger language plpgsql as $$ begin
  insert into usage_reopened_days as r (day, org_id) values ((new.reported_at at time zone 'UTC')::date, new.org_id)
  on conflict (day, org_id) do update set day = excluded.day where false;
  return null;
end $$;
