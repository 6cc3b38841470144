-- Filters of lists are served by indexes in the order of the list, newest first. What no index serves is read in
-- steps of a bounded size.
--
-- The id of these indexes has the collation "POSIX", which orders like "C". A plan that wants rows in that order can
-- use no other index. With "C", as in the index of the whole list, a plan that expects a value to be common goes
-- through that one instead, and reads all of it when the organization has no such row.
--
-- Partial indexes keep the cost of writing low: a run that succeeded has no entry in its index, and a sync that
-- succeeds never has one.
-- While serving: writes to each table wait while its indexes are made.
create index automation_runs_status on automation_runs (org_id, status, id collate "POSIX" desc)
  where status <> 'succeeded';
drop index automation_runs_member;
create index automation_runs_member on automation_runs (org_id, member_id, id collate "POSIX" desc);
drop index automation_runs_automation;
create index automation_runs_automation on automation_runs (automation_id, id collate "POSIX" desc);

create index connector_syncs_status on connector_syncs (org_id, status, id collate "POSIX" desc)
  where status in ('failed', 'superseded');

create index audit_events_member on audit_events (scope, actor_member_id, id collate "POSIX" desc)
  where actor_member_id is not null;
drop index audit_events_action;
create index audit_events_action on audit_events (scope, action, id collate "POSIX" desc);
drop index audit_events_actor;
create index audit_events_actor on audit_events (scope, actor_user_id, id collate "POSIX" desc);
drop index audit_events_target;
create index audit_events_target on audit_events (scope, target_id, id collate "POSIX" desc);

-- In the order of the primary key, a plan may walk the members of all organizations.
drop index members_page;
create index members_page on members (org_id, id collate "POSIX" desc);
drop index members_role;
create index members_role on members (org_id, role, id collate "POSIX" desc);

-- The list of held reports is ordered by run, so its index is too.
drop index automation_usage_held;
create index automation_usage_held on automation_usage (org_id, run_id desc, attempt desc, report desc)
  where state = 'held';

create index sessions_page on sessions (user_id, id desc);
drop index sessions_user;
