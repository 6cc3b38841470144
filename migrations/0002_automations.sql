-- Automations: what should happen when, each time it did, and everything that was reported about it.
-- New tables only: safe while serving.

create table automations (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  -- null: the owner has left. What it did stays readable; nothing runs until somebody takes it over.
  member_id text collate "C" references members on delete set null,
  status text not null check (status in ('active', 'inactive', 'archived')),
  revision int not null,
  -- null: nothing is due by itself.
  next_run_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index automations_page on automations (org_id, id desc);
create index automations_member on automations (member_id);
create index automations_due on automations (next_run_at) where next_run_at is not null;

-- What an automation says is never changed, only followed by the next revision: a run can always be
-- read beside the words it ran with.
create table automation_revisions (
  automation_id text not null collate "C" references automations on delete cascade,
  revision int not null,
  name text not null,
  instructions text not null,
  schedule jsonb not null,
  model_provider_id text,
  model_id text,
  max_runtime_seconds int not null,
  created_by text not null collate "C",
  created_at timestamptz not null default now(),
  primary key (automation_id, revision)
);

create table automation_runs (
  id text collate "C" primary key,
  -- Events are keyed by this: a third of the id's size in an index of many millions.
  no bigint generated always as identity unique,
  org_id text not null collate "C" references organizations on delete cascade,
  automation_id text not null collate "C" references automations on delete cascade,
  revision int not null,
  -- Whose run it is. Not a reference: history outlives membership.
  member_id text not null collate "C",
  trigger text not null check (trigger in ('schedule', 'manual')),
  occurrence_at timestamptz,
  status text not null check (status in ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'skipped')),
  -- Why it is what it is, for a program and for a person.
  reason text,
  reason_detail text,
  -- How many attempts have begun. The holder's writes count only for this attempt and until the lease ends.
  attempt int not null default 0,
  holder text collate "C",
  lease_expires_at timestamptz,
  -- When the attempt's time is up.
  deadline_at timestamptz,
  cancel_requested_at timestamptz,
  cancel_reason text,
  -- True: it ended here and not by a report, so whatever its last holder still sends is late.
  fenced boolean not null default false,
  -- What the accepted completion said, to tell a repetition from a contradiction.
  completion_digest text,
  session_id text,
  workspace_id text,
  result_summary text,
  error_message text,
  error_retryable boolean,
  events_pruned_at timestamptz,
  created_at timestamptz not null default now(),
  queued_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
) with (fillfactor = 80);
-- One run per occurrence, however many replicas tick.
create unique index automation_runs_occurrence on automation_runs (automation_id, occurrence_at)
  where occurrence_at is not null;
create index automation_runs_page on automation_runs (org_id, id desc);
create index automation_runs_member on automation_runs (org_id, member_id, id desc);
create index automation_runs_automation on automation_runs (automation_id, id desc);
-- Small: only what is waiting or under way. No column of it changes with a heartbeat.
create index automation_runs_live on automation_runs (org_id, status, queued_at)
  where status in ('queued', 'running');
create index automation_runs_retention on automation_runs (org_id, finished_at) where finished_at is not null;
create index automation_runs_unpruned on automation_runs (org_id, finished_at)
  where finished_at is not null and events_pruned_at is null;

create table automation_run_attempts (
  run_id text not null collate "C" references automation_runs on delete cascade,
  attempt int not null,
  holder text not null collate "C",
  -- The name a runner goes by; null when a person or a key reports.
  runner_name text,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  outcome text check (outcome in ('succeeded', 'failed', 'cancelled', 'lease_lost', 'timed_out')),
  primary key (run_id, attempt)
);

create type automation_event_type as enum
  ('user', 'assistant', 'capability_search', 'capability_execution', 'usage', 'warning', 'terminal');

-- The table that grows. One index, no references: the statement that adds an event has the run's row
-- locked and checked. The payload is kept as it was sent (json, not jsonb): less to write, nothing
-- reordered. Columns stand in the order that wastes no bytes.
create table automation_events (
  run_no bigint not null,
  sequence bigint not null,
  -- The runner's clock, as sent; received_at is ours.
  created_at bigint not null,
  received_at timestamptz not null default now(),
  attempt int not null,
  type automation_event_type not null,
  payload json not null,
  primary key (run_no, attempt, sequence)
);
-- Long payloads compress several times faster with lz4, where the server was built with it.
do $$ begin
  alter table automation_events alter column payload set compression lz4;
exception when feature_not_supported then null;
end $$;

-- Events of runs that are gone. They are removed in small steps, not with the run: a long run would
-- hold its organization's deletion up, and everyone else's statements with it.
create table automation_event_leftovers (run_no bigint primary key);
create function automation_runs_leave_events() returns trigger language plpgsql as $$ begin
  insert into automation_event_leftovers (run_no) select no from gone on conflict do nothing;
  return null;
end $$;
create trigger automation_runs_gone after delete on automation_runs
  referencing old table as gone for each statement execute function automation_runs_leave_events();

-- What a holder sent after it had lost its lease: refused, and kept where people look for it.
create table automation_late_reports (
  id text collate "C" primary key,
  run_id text not null collate "C" references automation_runs on delete cascade,
  attempt bigint not null,
  sequence bigint,
  kind text not null check (kind in ('event', 'completion')),
  reporter text not null collate "C",
  body json not null,
  -- Sent again it is the same report.
  digest text not null,
  received_at timestamptz not null default now(),
  unique (run_id, digest)
);
create index automation_late_reports_page on automation_late_reports (run_id, id desc);

-- A machine that does runs, by the name it gave itself. It acts for one member.
create table automation_runners (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  member_id text not null collate "C" references members on delete cascade,
  name text not null,
  platform text,
  version text,
  concurrency int not null default 1,
  -- 'own': is told of its member's runs; 'organization': of everyone's.
  serves text not null default 'own' check (serves in ('own', 'organization')),
  last_seen_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  unique (member_id, name)
);
create index automation_runners_page on automation_runners (org_id, id desc);

create table automation_runner_tokens (
  token_hash text primary key,
  runner_id text not null collate "C" references automation_runners on delete cascade,
  -- What the credential that made it could do here: a token is never wider.
  permissions text[] not null,
  -- Made with a key, it ends with the key.
  key_id text collate "C" references api_keys on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index automation_runner_tokens_runner on automation_runner_tokens (runner_id);
create index automation_runner_tokens_key on automation_runner_tokens (key_id);
create index automation_runner_tokens_expiry on automation_runner_tokens (expires_at);

-- One row per report that said what it used: the key is what makes a repetition count nothing.
-- Not a reference to the run: what was spent stays known when the run is pruned.
create table automation_usage (
  run_id text not null collate "C",
  attempt int not null,
  -- The event's sequence; -1 for the completion.
  report bigint not null,
  org_id text not null collate "C" references organizations on delete cascade,
  automation_id text not null collate "C",
  member_id text not null collate "C",
  model text,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost_micros bigint not null,
  reported_at timestamptz not null default now(),
  primary key (run_id, attempt, report)
);
create index automation_usage_time on automation_usage (org_id, reported_at);

-- A month's cost, kept beside its parts, because every report of a cost asks for it.
create table automation_spend (
  org_id text not null collate "C" references organizations on delete cascade,
  month date not null,
  cost_micros bigint not null,
  -- The budget that people were last told about: a changed one is news again.
  warned_for bigint,
  stopped_for bigint,
  primary key (org_id, month)
);

create table automation_settings (
  org_id text collate "C" primary key references organizations on delete cascade,
  event_retention_days int not null default 90,
  run_retention_days int not null default 400,
  -- How long a run may wait for a runner.
  queue_timeout_minutes int not null default 1440,
  run_budget_micros bigint,
  monthly_budget_micros bigint,
  budget_warning_percent int not null default 80,
  updated_at timestamptz not null default now()
);
