-- Finds the connectors that a push concerns. Without statistics, which a new database has not, the planner preferred
-- the index of the checks to connectors_match, and read all active connectors for each push.
create index connectors_active_ref on connectors (repository_key, ref) where status = 'active';
