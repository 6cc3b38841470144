-- One rollout at a time for the same labels, workers that were off are asked again, and the version that was wanted
-- before an upgrade is known, so that it is wanted again when the upgrade is cancelled.
-- Safe while the service runs: the tables are small, and earlier releases ignore the new columns. An earlier release
-- that creates two rollouts for the same labels at the same moment gets an error for one of them.

alter table worker_upgrades
  -- The desired version of the worker before this upgrade.
  add column desired_before text,
  -- It timed out, and the worker was not seen since it was requested. It is requested again when the worker is seen.
  add column missed boolean not null default false;

-- A worker that missed an upgrade gets another one in the same rollout.
drop index worker_upgrades_rollout;
create index worker_upgrades_rollout on worker_upgrades (rollout_id, worker_id, id desc);

create index worker_upgrades_missed on worker_upgrades (org_id, worker_id) where missed;

update worker_rollouts o set ended_at = now(), updated_at = now()
where o.ended_at is null and exists (
  select from worker_rollouts n
  where n.org_id = o.org_id and n.labels = o.labels and n.ended_at is null and n.id > o.id);

drop index worker_rollouts_active;
create unique index worker_rollouts_active on worker_rollouts (org_id, labels) where ended_at is null;
