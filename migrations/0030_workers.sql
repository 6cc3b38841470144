-- Workers: machines that an organization runs work on. Their registration, tokens, state, runtime, upgrades and timeline.
-- While serving: new tables, and one column with a default that is null, so no row is rewritten. The new index is built
-- on a column that is empty at that time.

create table worker_registration_tokens (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  -- Who made it. Workers that register with it host a runner for this member.
  member_id text not null collate "C" references members on delete cascade,
  name text not null,
  kind text not null check (kind in ('local', 'remote', 'ephemeral')),
  labels text[] not null default '{}',
  template_ids text[] not null default '{}',
  connection_ids text[] not null default '{}',
  -- The permissions of the credential that made it, of those that a runner can have.
  runner_permissions text[] not null,
  uses int not null default 0,
  max_uses int,
  expires_at timestamptz,
  created_at timestamptz not null default now()
);
create index worker_registration_tokens_page on worker_registration_tokens (org_id, id desc);
create index worker_registration_tokens_member on worker_registration_tokens (member_id);

-- After a rotation the previous secret still works for a day, so that images can be changed without a gap.
create table worker_registration_secrets (
  token_hash text primary key,
  token_id text not null collate "C" references worker_registration_tokens on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  start text not null,
  expires_at timestamptz,
  created_at timestamptz not null default now()
);
create index worker_registration_secrets_token on worker_registration_secrets (token_id);
create index worker_registration_secrets_org on worker_registration_secrets (org_id);

create table workers (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  -- The member that its hosted runner acts for. Null: the member has left, so it hosts no runner.
  member_id text collate "C" references members on delete set null,
  name text not null,
  kind text not null check (kind in ('local', 'remote', 'ephemeral')),
  labels text[] not null default '{}',
  template_ids text[] not null default '{}',
  connection_ids text[] not null default '{}',
  runner_permissions text[] not null,
  -- Chosen by the machine: registering again with it gives the same worker.
  instance_id text,
  registration_token_id text collate "C" references worker_registration_tokens on delete set null,
  paused_at timestamptz,
  paused_until timestamptz,
  pause_note text,
  drain_requested_at timestamptz,
  desired_version text,
  configuration jsonb,
  configuration_revision int not null default 0,
  -- The upgrade under way. Here so that the answer to a heartbeat reads one row.
  upgrade_id text collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index workers_name on workers (org_id, lower(name));
create unique index workers_instance on workers (org_id, instance_id) where instance_id is not null;
create index workers_page on workers (org_id, id desc);
create index workers_member on workers (member_id);
create index workers_registration on workers (registration_token_id);

create table worker_tokens (
  id text collate "C" primary key,
  worker_id text not null collate "C" references workers on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  start text not null,
  token_hash text not null unique,
  expires_at timestamptz,
  created_at timestamptz not null default now()
);
create index worker_tokens_worker on worker_tokens (worker_id, id desc);
create index worker_tokens_org on worker_tokens (org_id);

-- One row a worker, written at every heartbeat. It is narrow, half of each page is left free, and only the key is
-- indexed, so that an update stays on its page and writes about 100 bytes of WAL. What changes comes first: PostgreSQL
-- logs only the bytes between the equal beginning and the equal end of a row.
create table worker_beats (
  seen_at timestamptz,
  sequence bigint not null default -1,
  status text not null default 'online' check (status in ('online', 'busy', 'idle', 'draining', 'stopped')),
  worker_id text collate "C" primary key references workers on delete cascade,
  -- Ids of the runs it has, separated by commas.
  run_ids text not null default ''
) with (fillfactor = 50);

-- The state that the timeline has recorded last. The state itself is derived from the heartbeat when it is read.
create table worker_states (
  worker_id text collate "C" primary key references workers on delete cascade,
  state text not null default 'never_connected',
  since timestamptz not null default now(),
  -- Which notices about its removal were sent: 0 none, 1 lost, 2 removal is due.
  notices smallint not null default 0
) with (fillfactor = 50);

create table worker_runtimes (
  worker_id text collate "C" primary key references workers on delete cascade,
  version text not null,
  api_version int not null,
  platform text not null,
  arch text not null,
  capabilities text[] not null default '{}',
  limits jsonb not null default '{}',
  services jsonb not null default '[]',
  -- Differs between processes, so that a drain request ends with the process that it was made for.
  boot_id text,
  configuration_revision int,
  reported_at timestamptz not null default now()
);

create table worker_rollouts (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  version text not null,
  percent int not null check (percent between 1 and 100),
  labels text[] not null default '{}',
  deadline_seconds int not null,
  ended_at timestamptz,
  created_by text collate "C" references members on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index worker_rollouts_page on worker_rollouts (org_id, id desc);
create index worker_rollouts_active on worker_rollouts (org_id) where ended_at is null;
create index worker_rollouts_creator on worker_rollouts (created_by);

create table worker_upgrades (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  worker_id text not null collate "C" references workers on delete cascade,
  rollout_id text collate "C" references worker_rollouts on delete cascade,
  version text not null,
  from_version text,
  state text not null default 'requested'
    check (state in ('requested', 'acknowledged', 'draining', 'upgraded', 'failed', 'timed_out', 'cancelled')),
  reason text,
  deadline_at timestamptz not null,
  created_at timestamptz not null default now(),
  acknowledged_at timestamptz,
  draining_at timestamptz,
  ended_at timestamptz
);
create index worker_upgrades_page on worker_upgrades (org_id, id desc);
create index worker_upgrades_worker on worker_upgrades (worker_id, id desc);
create unique index worker_upgrades_open on worker_upgrades (worker_id) where ended_at is null;
-- A rollout upgrades each worker once, however often it is widened.
create unique index worker_upgrades_rollout on worker_upgrades (rollout_id, worker_id);
create index worker_upgrades_deadline on worker_upgrades (deadline_at) where ended_at is null;

create table worker_activity (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  worker_id text not null collate "C" references workers on delete cascade,
  type text not null,
  detail jsonb not null default '{}',
  at timestamptz not null default now()
);
create index worker_activity_page on worker_activity (worker_id, id desc);
create index worker_activity_org on worker_activity (org_id);

-- One row: when a process last answered the routes of workers, and the interval that workers are told.
create table worker_service (
  id boolean primary key default true check (id),
  alive_at timestamptz not null default now(),
  -- Times in which no process answered workers. They do not count as time in which a worker was unseen. Here and not in
  -- a table, because the state of each worker is derived from them.
  outages tstzmultirange not null default '{}',
  interval_seconds int not null default 15,
  previous_seconds int not null default 15,
  interval_changed_at timestamptz not null default now()
) with (fillfactor = 50);
insert into worker_service default values;

-- A runner that a worker hosts ends with the worker.
alter table automation_runner_tokens add column worker_id text collate "C" references workers on delete cascade;
create index automation_runner_tokens_worker on automation_runner_tokens (worker_id) where worker_id is not null;
