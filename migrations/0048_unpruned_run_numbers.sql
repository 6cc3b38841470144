-- The job that drops partitions of events asks whether a week has a run with events to keep. With this index it reads one
-- entry; it could read all runs of a week before, every ten minutes, when most of them were pruned.
--
-- Safe while the service runs, but writes to runs wait while the index is built: some seconds for a million runs.

create index automation_runs_unpruned_number on automation_runs (no) where events_pruned_at is null;
