-- Due work is taken in turns, a little of each organization, so that thousands of one do not delay the others.
-- For that, what is due is found by organization.
-- While serving: writes to each table wait while its index is made. Both are partial and small.
create index automations_org_due on automations (org_id, next_run_at) where next_run_at is not null;
create index connector_syncs_org_live on connector_syncs (org_id, due_at) where status in ('queued', 'running');
