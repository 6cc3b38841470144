-- A run can repeat an earlier one. Not a reference: the earlier run may be removed by retention first.
-- While serving: adds a column without a value, so no row is rewritten.
alter table automation_runs add column retry_of text collate "C";
