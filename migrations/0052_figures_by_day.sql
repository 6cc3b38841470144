-- Runs, costs and durations of each day in UTC, by quarter hour, for the overview: it reads some rows for each day
-- instead of every run and report of two months. A job adds runs and reports to these sums some time after they ended or
-- came. It begins with the oldest; until it has caught up, the overview counts the newer rows one by one.
--
-- Stop all processes of earlier versions first: they would remove runs and correct costs without changing the sums.
-- The index blocks reports of runs while it is built, about a second per million runs.

create table automation_figures (
  org_id text not null collate "C" references organizations on delete cascade,
  -- The organization, or one of its members.
  subject_id text not null collate "C",
  day date not null,
  -- The runs that were created on the day, by status, reason and quarter hour.
  runs jsonb not null,
  -- The costs that were reported on the day, by quarter hour.
  costs jsonb not null,
  -- Durations of the runs, by size: how many, and their sum in milliseconds.
  durations jsonb not null,
  -- The same, by hour. Only the days at the ends of a period need it.
  hourly_durations jsonb not null,
  primary key (org_id, subject_id, day)
);

-- What the sums of an organization contain: the runs that ended before this time, and the reports that came before it.
create table automation_figure_marks (
  org_id text collate "C" primary key references organizations on delete cascade,
  summed_until timestamptz not null
);

-- For the runs of single hours. It replaces an index that had all columns of the figures.
create index automation_runs_created on automation_runs (org_id, created_at);
drop index automation_runs_figures;
