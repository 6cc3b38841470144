-- The usage of each day by automation, member and model, so that a summary reads some rows for each day instead of every
-- report. The job that adds up days for the administrators of the instance stores these sums too, and begins again with
-- all days; until then, summaries are added up from reports as before.
--
-- Stop all processes of earlier versions first: they look reports up by their run alone, which has no index after this.
-- Writes of usage wait while the new key is built: some seconds for a million reports.

create table automation_usage_days (
  org_id text not null collate "C" references organizations on delete cascade,
  day date not null,
  automation_id text not null collate "C",
  member_id text not null collate "C",
  -- Empty: the reports named no model.
  model text not null collate "C",
  runs bigint not null,
  reports bigint not null,
  unpriced_reports bigint not null,
  input_tokens numeric not null,
  output_tokens numeric not null,
  cost_micros numeric not null,
  primary key (org_id, day, automation_id, member_id, model)
);

-- The runs that are counted in several rows of automation_usage_days, because they reported on several days or for
-- several models. One row for each of those rows, so that a summary of several days counts a run once.
create table automation_usage_repeated_runs (
  org_id text not null collate "C" references organizations on delete cascade,
  run_id text not null collate "C",
  day date not null,
  model text not null collate "C",
  automation_id text not null collate "C",
  member_id text not null collate "C",
  primary key (org_id, run_id, day, model)
);
create index automation_usage_repeated_runs_day on automation_usage_repeated_runs (org_id, day);

-- With the organization first, the key also serves the list of an organization's usage by run.
alter table automation_usage drop constraint automation_usage_pkey;
alter table automation_usage add primary key (org_id, run_id, attempt, report);

update usage_rollups set completed_at = null;
