-- Events that the service itself adds to a run: the searches and calls of its program at /mcp. Runners number their own
-- events without gaps and do not know about these. The positions of the service's events tell which number of the
-- runner belongs to which position.
-- While serving: safe, the column has a constant default. A process of an earlier version refuses the reports of a run
-- that has such events (`automation_runner_event_sequence_gap`), so upgrade all processes before programs use /mcp.

alter table automation_run_attempts add column service_events integer[] not null default '{}';
