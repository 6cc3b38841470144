-- The current schema, after all migrations. For reading: changes are made in migrations/.
-- Written by `npm run schema`; a check fails when it is not current.
-- The tables of pg-boss, the job queue, are not here: the library creates them in its own schema.

create table accounts (
  id text collate "C" not null,
  user_id text collate "C" not null,
  account_id text not null,
  provider_id text not null,
  password text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_provider_id_account_id_key UNIQUE (provider_id, account_id),
  constraint accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX accounts_user ON accounts USING btree (user_id);

create table api_keys (
  id text collate "C" not null,
  org_id text collate "C" not null,
  member_id text collate "C" not null,
  name text not null,
  start text not null,
  key_hash text not null,
  permissions text[],
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  replaced_by text collate "C",
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint api_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX api_keys_expiry ON api_keys USING btree (org_id, expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX api_keys_member_page ON api_keys USING btree (member_id, id DESC);
CREATE INDEX api_keys_page ON api_keys USING btree (org_id, id DESC);

create table audit_chains (
  scope text collate "C" not null,
  org_id text collate "C",
  seq bigint not null,
  previous bytea not null,
  hash bytea not null,
  pruned_seq bigint not null default 0,
  pruned_hash bytea not null default decode(repeat('00'::text, 32), 'hex'::text),
  retention_days integer not null default 400,
  signature text collate "C",
  pruned_at timestamptz,
  started_late boolean not null default false,
  constraint audit_chains_pkey PRIMARY KEY (scope),
  constraint audit_chains_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX audit_chains_organization ON audit_chains USING btree (org_id) WHERE (org_id IS NOT NULL);
CREATE TRIGGER audit_chains_gone AFTER DELETE ON audit_chains REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION audit_chains_remove_entries();

create table audit_events (
  scope text collate "C" not null,
  seq bigint not null,
  id text collate "C" not null,
  at timestamptz not null,
  action text collate "C" not null,
  actor_user_id text collate "C",
  actor_member_id text collate "C",
  actor_name text,
  credential text collate "C" not null,
  credential_id text collate "C",
  address text,
  user_agent text,
  request_id text,
  target_type text collate "C" not null,
  target_id text collate "C",
  before json,
  after json,
  previous bytea not null,
  hash bytea not null,
  constraint audit_events_pkey PRIMARY KEY (scope, seq),
  constraint audit_events_id_key UNIQUE (id)
);
CREATE INDEX audit_events_action ON audit_events USING btree (scope, action, id COLLATE "POSIX" DESC);
CREATE INDEX audit_events_actor ON audit_events USING btree (scope, actor_user_id, id COLLATE "POSIX" DESC);
CREATE INDEX audit_events_age ON audit_events USING btree (scope, at);
CREATE INDEX audit_events_credential ON audit_events USING btree (scope, credential, id COLLATE "POSIX" DESC) WHERE (credential <> 'session'::text);
CREATE INDEX audit_events_member ON audit_events USING btree (scope, actor_member_id, id COLLATE "POSIX" DESC) WHERE (actor_member_id IS NOT NULL);
CREATE INDEX audit_events_page ON audit_events USING btree (scope, id DESC);
CREATE INDEX audit_events_target ON audit_events USING btree (scope, target_id, id COLLATE "POSIX" DESC);
CREATE INDEX audit_events_target_type ON audit_events USING btree (scope, target_type, id COLLATE "POSIX" DESC);
CREATE TRIGGER audit_events_stay BEFORE DELETE OR UPDATE ON audit_events FOR EACH ROW EXECUTE FUNCTION audit_events_stay();
CREATE TRIGGER audit_events_stay_all BEFORE TRUNCATE ON audit_events FOR EACH STATEMENT EXECUTE FUNCTION audit_events_stay_all();

create table automation_event_leftovers (
  run_no bigint not null,
  org_id text collate "C" not null,
  due_at timestamptz not null default now(),
  constraint automation_event_leftovers_pkey PRIMARY KEY (run_no)
);
CREATE INDEX automation_event_leftovers_due ON automation_event_leftovers USING btree (due_at);

create table automation_events (
  run_no bigint not null,
  previous_sequence bigint not null,
  last_sequence bigint not null,
  received_at timestamptz not null default now(),
  attempt integer not null,
  is_terminal boolean not null,
  org_id text collate "C" not null,
  events text not null /* storage m */,
  constraint automation_events_pkey PRIMARY KEY (run_no, attempt, previous_sequence)
) partition by RANGE (run_no);

create table automation_figure_marks (
  org_id text collate "C" not null,
  summed_until timestamptz not null,
  constraint automation_figure_marks_pkey PRIMARY KEY (org_id),
  constraint automation_figure_marks_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table automation_figures (
  org_id text collate "C" not null,
  subject_id text collate "C" not null,
  day date not null,
  runs jsonb not null,
  costs jsonb not null,
  durations jsonb not null,
  hourly_durations jsonb not null,
  constraint automation_figures_pkey PRIMARY KEY (org_id, subject_id, day)
);

create table automation_late_reports (
  id text collate "C" not null,
  run_id text collate "C" not null,
  attempt bigint not null,
  sequence bigint,
  kind text not null,
  reporter text collate "C" not null,
  body json not null,
  digest text not null,
  received_at timestamptz not null default now(),
  constraint automation_late_reports_pkey PRIMARY KEY (id),
  constraint automation_late_reports_run_id_digest_key UNIQUE (run_id, digest),
  constraint automation_late_reports_kind_check CHECK ((kind = ANY (ARRAY['event'::text, 'completion'::text]))),
  constraint automation_late_reports_run_id_fkey FOREIGN KEY (run_id) REFERENCES automation_runs(id) ON DELETE CASCADE
);
CREATE INDEX automation_late_reports_page ON automation_late_reports USING btree (run_id, id DESC);

create table automation_revisions (
  automation_id text collate "C" not null,
  revision integer not null,
  name text not null,
  instructions text not null,
  schedule jsonb not null,
  model_provider_id text,
  model_id text,
  max_runtime_seconds integer not null,
  created_by text collate "C" not null,
  created_at timestamptz not null default now(),
  template_ids text[] not null default '{}'::text[],
  connection_ids text[] not null default '{}'::text[],
  constraint automation_revisions_pkey PRIMARY KEY (automation_id, revision),
  constraint automation_revisions_automation_id_fkey FOREIGN KEY (automation_id) REFERENCES automations(id) ON DELETE CASCADE
);

create table automation_run_attempts (
  run_id text collate "C" not null,
  attempt integer not null,
  holder text collate "C" not null,
  runner_name text,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  outcome text,
  token_hash text collate "C",
  permissions text[],
  key_id text collate "C",
  service_events integer[] not null default '{}'::integer[],
  constraint automation_run_attempts_pkey PRIMARY KEY (run_id, attempt),
  constraint automation_run_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text, 'lease_lost'::text, 'timed_out'::text]))),
  constraint automation_run_attempts_run_id_fkey FOREIGN KEY (run_id) REFERENCES automation_runs(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX automation_run_attempts_token ON automation_run_attempts USING btree (token_hash) WHERE (token_hash IS NOT NULL);

create table automation_runner_tokens (
  token_hash text not null,
  runner_id text collate "C" not null,
  permissions text[] not null,
  key_id text collate "C",
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  worker_id text collate "C",
  constraint automation_runner_tokens_pkey PRIMARY KEY (token_hash),
  constraint automation_runner_tokens_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE,
  constraint automation_runner_tokens_runner_id_fkey FOREIGN KEY (runner_id) REFERENCES automation_runners(id) ON DELETE CASCADE,
  constraint automation_runner_tokens_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES workers(id) ON DELETE CASCADE
);
CREATE INDEX automation_runner_tokens_expiry ON automation_runner_tokens USING btree (expires_at);
CREATE INDEX automation_runner_tokens_key ON automation_runner_tokens USING btree (key_id);
CREATE INDEX automation_runner_tokens_runner ON automation_runner_tokens USING btree (runner_id);
CREATE INDEX automation_runner_tokens_worker ON automation_runner_tokens USING btree (worker_id) WHERE (worker_id IS NOT NULL);

create table automation_runners (
  id text collate "C" not null,
  org_id text collate "C" not null,
  member_id text collate "C" not null,
  name text not null,
  platform text,
  version text,
  concurrency integer not null default 1,
  serves text not null default 'own'::text,
  last_seen_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  constraint automation_runners_pkey PRIMARY KEY (id),
  constraint automation_runners_member_id_name_key UNIQUE (member_id, name),
  constraint automation_runners_serves_check CHECK ((serves = ANY (ARRAY['own'::text, 'organization'::text]))),
  constraint automation_runners_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint automation_runners_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX automation_runners_page ON automation_runners USING btree (org_id, id DESC);

create table automation_runs (
  id text collate "C" not null,
  no bigint not null default next_run_number(),
  org_id text collate "C" not null,
  automation_id text collate "C" not null,
  revision integer not null,
  member_id text collate "C" not null,
  trigger text not null,
  occurrence_at timestamptz,
  status text not null,
  reason text,
  reason_detail text,
  attempt integer not null default 0,
  holder text collate "C",
  lease_expires_at timestamptz,
  deadline_at timestamptz,
  cancel_requested_at timestamptz,
  cancel_reason text,
  fenced boolean not null default false,
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
  finished_at timestamptz,
  retry_of text collate "C",
  constraint automation_runs_pkey PRIMARY KEY (id),
  constraint automation_runs_no_key UNIQUE (no),
  constraint automation_runs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'skipped'::text]))),
  constraint automation_runs_trigger_check CHECK ((trigger = ANY (ARRAY['schedule'::text, 'manual'::text])))
) with (fillfactor=80);
CREATE INDEX automation_runs_automation ON automation_runs USING btree (automation_id, id COLLATE "POSIX" DESC);
CREATE INDEX automation_runs_automation_member ON automation_runs USING btree (automation_id, member_id, id COLLATE "POSIX" DESC);
CREATE INDEX automation_runs_automation_status ON automation_runs USING btree (automation_id, status, id COLLATE "POSIX" DESC);
CREATE INDEX automation_runs_created ON automation_runs USING btree (org_id, created_at);
CREATE INDEX automation_runs_live ON automation_runs USING btree (org_id, status, queued_at) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX automation_runs_member ON automation_runs USING btree (org_id, member_id, id COLLATE "POSIX" DESC);
CREATE INDEX automation_runs_member_status ON automation_runs USING btree (org_id, member_id, status, id COLLATE "POSIX" DESC);
CREATE UNIQUE INDEX automation_runs_occurrence ON automation_runs USING btree (automation_id, occurrence_at) WHERE (occurrence_at IS NOT NULL);
CREATE INDEX automation_runs_page ON automation_runs USING btree (org_id, id DESC);
CREATE INDEX automation_runs_retention ON automation_runs USING btree (org_id, finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX automation_runs_status ON automation_runs USING btree (org_id, status, id COLLATE "POSIX" DESC);
CREATE INDEX automation_runs_unpruned ON automation_runs USING btree (org_id, finished_at) WHERE ((finished_at IS NOT NULL) AND (events_pruned_at IS NULL));
CREATE INDEX automation_runs_unpruned_number ON automation_runs USING btree (no) WHERE (events_pruned_at IS NULL);
CREATE TRIGGER automation_runs_gone AFTER DELETE ON automation_runs REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION automation_runs_leave_events();

create table automation_settings (
  org_id text collate "C" not null,
  event_retention_days integer not null default 90,
  run_retention_days integer not null default 400,
  queue_timeout_minutes integer not null default 1440,
  run_budget_micros bigint,
  monthly_budget_micros bigint,
  budget_warning_percent integer not null default 80,
  updated_at timestamptz not null default now(),
  report_cost_limit_micros bigint default 1000000000,
  constraint automation_settings_pkey PRIMARY KEY (org_id),
  constraint automation_settings_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table automation_spend (
  org_id text collate "C" not null,
  month date not null,
  cost_micros bigint not null,
  warned_for bigint,
  stopped_for bigint,
  constraint automation_spend_pkey PRIMARY KEY (org_id, month),
  constraint automation_spend_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE TRIGGER automation_spend_followed AFTER INSERT OR UPDATE OF cost_micros ON automation_spend FOR EACH ROW EXECUTE FUNCTION llm_spend_follow();

create table automation_usage (
  run_id text collate "C" not null,
  attempt integer not null,
  report bigint not null,
  org_id text collate "C" not null,
  automation_id text collate "C" not null,
  member_id text collate "C" not null,
  model text,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost_micros bigint not null,
  reported_at timestamptz not null default now(),
  state text not null default 'counted'::text,
  reported jsonb,
  provider text,
  cache_read_tokens bigint not null default 0,
  cache_write_tokens bigint not null default 0,
  cache_write_1h_tokens bigint not null default 0,
  cost_source text not null default 'reported'::text,
  price jsonb,
  priced_at timestamptz,
  previous jsonb,
  recomputed_at timestamptz,
  spend_day date,
  spend_subjects text[],
  constraint automation_usage_pkey PRIMARY KEY (org_id, run_id, attempt, report),
  constraint automation_usage_cost_source_check CHECK ((cost_source = ANY (ARRAY['reported'::text, 'computed'::text, 'unpriced'::text]))),
  constraint automation_usage_state_check CHECK ((state = ANY (ARRAY['counted'::text, 'held'::text, 'corrected'::text])))
);
CREATE INDEX automation_usage_computed ON automation_usage USING btree (org_id, reported_at, run_id, attempt, report) WHERE (cost_source <> 'reported'::text);
CREATE INDEX automation_usage_figures ON automation_usage USING btree (org_id, reported_at) INCLUDE (member_id, cost_micros);
CREATE INDEX automation_usage_held ON automation_usage USING btree (org_id, run_id DESC, attempt DESC, report DESC) WHERE (state = 'held'::text);
CREATE INDEX automation_usage_unpriced ON automation_usage USING btree (org_id, reported_at) INCLUDE (run_id, member_id) WHERE (cost_source = 'unpriced'::text);
CREATE TRIGGER automation_usage_corrected AFTER UPDATE ON automation_usage FOR EACH ROW EXECUTE FUNCTION reopen_usage_day();

create table automation_usage_days (
  org_id text collate "C" not null,
  day date not null,
  automation_id text collate "C" not null,
  member_id text collate "C" not null,
  model text collate "C" not null,
  runs bigint not null,
  reports bigint not null,
  unpriced_reports bigint not null,
  input_tokens numeric not null,
  output_tokens numeric not null,
  cost_micros numeric not null,
  constraint automation_usage_days_pkey PRIMARY KEY (org_id, day, automation_id, member_id, model)
);

create table automation_usage_repeated_runs (
  org_id text collate "C" not null,
  run_id text collate "C" not null,
  day date not null,
  model text collate "C" not null,
  automation_id text collate "C" not null,
  member_id text collate "C" not null,
  constraint automation_usage_repeated_runs_pkey PRIMARY KEY (org_id, run_id, day, model)
);
CREATE INDEX automation_usage_repeated_runs_day ON automation_usage_repeated_runs USING btree (org_id, day);

create table automations (
  id text collate "C" not null,
  org_id text collate "C" not null,
  member_id text collate "C",
  status text not null,
  revision integer not null,
  next_run_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint automations_pkey PRIMARY KEY (id),
  constraint automations_status_check CHECK ((status = ANY (ARRAY['active'::text, 'inactive'::text, 'archived'::text]))),
  constraint automations_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE SET NULL,
  constraint automations_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX automations_due ON automations USING btree (next_run_at) WHERE (next_run_at IS NOT NULL);
CREATE INDEX automations_member ON automations USING btree (member_id);
CREATE INDEX automations_org_due ON automations USING btree (org_id, next_run_at) WHERE (next_run_at IS NOT NULL);
CREATE INDEX automations_page ON automations USING btree (org_id, id DESC);

create table backup_codes (
  user_id text collate "C" not null,
  code_hash text not null,
  constraint backup_codes_pkey PRIMARY KEY (user_id, code_hash),
  constraint backup_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table claim_links (
  token_hash text not null,
  org_id text collate "C" not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint claim_links_pkey PRIMARY KEY (token_hash),
  constraint claim_links_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX claim_links_org ON claim_links USING btree (org_id);

create table connector_leftovers (
  connector_id text collate "C" not null,
  org_id text collate "C" not null,
  deleted_at timestamptz not null default now(),
  constraint connector_leftovers_pkey PRIMARY KEY (connector_id)
);

create table connector_secrets (
  id text collate "C" not null,
  org_id text collate "C" not null,
  connector_id text collate "C" not null,
  secret text not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  constraint connector_secrets_pkey PRIMARY KEY (id),
  constraint connector_secrets_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES connectors(id) ON DELETE CASCADE
);
CREATE INDEX connector_secrets_connector ON connector_secrets USING btree (connector_id);

create table connector_syncs (
  id text collate "C" not null,
  org_id text collate "C" not null,
  connector_id text collate "C" not null,
  head text,
  cause text not null,
  status text not null default 'queued'::text,
  attempt integer not null default 0,
  due_at timestamptz not null default now(),
  lease_expires_at timestamptz,
  holder text,
  commit_sha text,
  error_code text,
  error_message text,
  error_retryable boolean,
  added integer,
  changed integer,
  removed integer,
  unchanged integer,
  problems jsonb not null default '[]'::jsonb,
  problem_count integer not null default 0,
  requested_by text collate "C",
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  worker_deaths integer not null default 0,
  head_unproven boolean not null default false,
  constraint connector_syncs_pkey PRIMARY KEY (id),
  constraint connector_syncs_cause_check CHECK ((cause = ANY (ARRAY['push'::text, 'created'::text, 'changed'::text, 'manual'::text, 'sweep'::text, 'event'::text]))),
  constraint connector_syncs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'superseded'::text])))
);
CREATE INDEX connector_syncs_age ON connector_syncs USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX connector_syncs_connector ON connector_syncs USING btree (connector_id, id DESC);
CREATE INDEX connector_syncs_connector_status ON connector_syncs USING btree (connector_id, status, id COLLATE "POSIX" DESC) WHERE (status = ANY (ARRAY['failed'::text, 'superseded'::text]));
CREATE UNIQUE INDEX connector_syncs_head ON connector_syncs USING btree (connector_id, head) WHERE ((status = ANY (ARRAY['queued'::text, 'running'::text])) AND (head IS NOT NULL));
CREATE INDEX connector_syncs_live ON connector_syncs USING btree (due_at) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX connector_syncs_org_live ON connector_syncs USING btree (org_id, due_at) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX connector_syncs_page ON connector_syncs USING btree (org_id, id DESC);
CREATE INDEX connector_syncs_read ON connector_syncs USING btree (connector_id, commit_sha) WHERE (status = 'succeeded'::text);
CREATE UNIQUE INDEX connector_syncs_running ON connector_syncs USING btree (connector_id) WHERE (status = 'running'::text);
CREATE INDEX connector_syncs_status ON connector_syncs USING btree (org_id, status, id COLLATE "POSIX" DESC) WHERE (status = ANY (ARRAY['failed'::text, 'superseded'::text]));

create table connectors (
  id text collate "C" not null,
  org_id text collate "C" not null,
  name text not null,
  codehost text not null,
  repository text not null,
  repository_key text collate "C" not null,
  base_url text,
  clone_url text not null,
  ref text collate "C" not null,
  folder text not null default ''::text,
  installation_id text collate "C",
  access_kind text not null,
  access_secret text,
  access_settings jsonb not null default '{}'::jsonb,
  status text not null default 'active'::text,
  status_reason text,
  synced_commit text,
  synced_at timestamptz,
  checked_at timestamptz,
  check_error text,
  created_by text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint connectors_pkey PRIMARY KEY (id),
  constraint connectors_access_kind_check CHECK ((access_kind = ANY (ARRAY['none'::text, 'token'::text, 'github_app'::text]))),
  constraint connectors_codehost_check CHECK ((codehost = ANY (ARRAY['github'::text, 'gitlab'::text, 'gitea'::text, 'forgejo'::text, 'bitbucket'::text, 'git'::text]))),
  constraint connectors_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text, 'disconnected'::text]))),
  constraint connectors_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX connectors_active_ref ON connectors USING btree (repository_key, ref) WHERE (status = 'active'::text);
CREATE INDEX connectors_check ON connectors USING btree (checked_at NULLS FIRST) WHERE (status = 'active'::text);
CREATE INDEX connectors_installation ON connectors USING btree (installation_id) WHERE (installation_id IS NOT NULL);
CREATE INDEX connectors_match ON connectors USING btree (repository_key);
CREATE INDEX connectors_page ON connectors USING btree (org_id, id DESC);
CREATE TRIGGER connectors_deliveries AFTER DELETE ON connectors REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION connectors_leave_rows();

create table database_sizes (
  day date not null,
  bytes bigint not null,
  measured_at timestamptz not null default now(),
  constraint database_sizes_pkey PRIMARY KEY (day)
);

create table first_account (
  single boolean not null default true,
  user_id text collate "C" not null,
  constraint first_account_pkey PRIMARY KEY (single),
  constraint first_account_single_check CHECK (single)
);

create table former_members (
  org_id text collate "C" not null,
  reason text not null,
  removed_at timestamptz not null default now(),
  email text not null,
  constraint former_members_pkey PRIMARY KEY (org_id, email),
  constraint former_members_reason_check CHECK ((reason = ANY (ARRAY['removed'::text, 'deprovisioned'::text]))),
  constraint former_members_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table idempotency_keys (
  scope text not null,
  key text not null,
  request_hash text not null,
  reply text,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING btree (created_at);

create table idempotency_usage (
  owner text collate "C" not null,
  day date not null,
  keys bigint not null,
  bytes bigint not null,
  constraint idempotency_usage_pkey PRIMARY KEY (owner, day)
);
CREATE INDEX idempotency_usage_day ON idempotency_usage USING btree (day);

create table invitations (
  id text collate "C" not null,
  org_id text collate "C" not null,
  email text not null,
  role text not null,
  team_ids text[] not null default '{}'::text[],
  token_hash text not null,
  mail_hash text not null,
  invited_by text collate "C",
  inviter_name text not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz not null default now(),
  sent_at timestamptz not null default now(),
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_mail_hash_key UNIQUE (mail_hash),
  constraint invitations_token_hash_key UNIQUE (token_hash),
  constraint invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES members(id) ON DELETE SET NULL,
  constraint invitations_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX invitations_inviter ON invitations USING btree (invited_by);
CREATE UNIQUE INDEX invitations_open ON invitations USING btree (org_id, email) WHERE ((accepted_at IS NULL) AND (cancelled_at IS NULL));
CREATE INDEX invitations_page ON invitations USING btree (org_id, id DESC);

create table job_deaths (
  job_id text collate "C" not null,
  deaths integer not null,
  noted_at timestamptz not null default now(),
  constraint job_deaths_pkey PRIMARY KEY (job_id)
);

create table llm_budget_crossings (
  budget_id text collate "C" not null,
  period_start date not null,
  level text not null,
  limit_micros bigint not null,
  crossed_at timestamptz not null default now(),
  constraint llm_budget_crossings_pkey PRIMARY KEY (budget_id, period_start, level, limit_micros),
  constraint llm_budget_crossings_level_check CHECK ((level = ANY (ARRAY['warned'::text, 'exceeded'::text]))),
  constraint llm_budget_crossings_budget_id_fkey FOREIGN KEY (budget_id) REFERENCES llm_budgets(id) ON DELETE CASCADE
);

create table llm_budgets (
  id text collate "C" not null,
  org_id text collate "C" not null,
  subject_kind text not null,
  team_id text collate "C",
  member_id text collate "C",
  provider_id text collate "C",
  subject_id text collate "C" not null generated always as (COALESCE(team_id, member_id, provider_id, org_id)) stored,
  period text not null,
  mode text not null,
  limit_micros bigint not null,
  warning_percent integer not null,
  created_by text collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint llm_budgets_pkey PRIMARY KEY (id),
  constraint llm_budgets_subject UNIQUE (org_id, subject_id, period),
  constraint llm_budgets_limit_micros_check CHECK ((limit_micros >= 0)),
  constraint llm_budgets_mode_check CHECK ((mode = ANY (ARRAY['budget'::text, 'alert'::text]))),
  constraint llm_budgets_period_check CHECK ((period = ANY (ARRAY['day'::text, 'week'::text, 'month'::text]))),
  constraint llm_budgets_subject_kind CHECK ((((subject_kind = 'team'::text) = (team_id IS NOT NULL)) AND ((subject_kind = 'member'::text) = (member_id IS NOT NULL)) AND ((subject_kind = 'provider'::text) = (provider_id IS NOT NULL)))),
  constraint llm_budgets_subject_kind_check CHECK ((subject_kind = ANY (ARRAY['organization'::text, 'team'::text, 'member'::text, 'provider'::text]))),
  constraint llm_budgets_warning_percent_check CHECK (((warning_percent >= 1) AND (warning_percent <= 100))),
  constraint llm_budgets_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint llm_budgets_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint llm_budgets_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES llm_providers(id) ON DELETE CASCADE,
  constraint llm_budgets_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);
CREATE INDEX llm_budgets_member ON llm_budgets USING btree (member_id) WHERE (member_id IS NOT NULL);
CREATE INDEX llm_budgets_page ON llm_budgets USING btree (org_id, id DESC);
CREATE INDEX llm_budgets_provider ON llm_budgets USING btree (provider_id) WHERE (provider_id IS NOT NULL);
CREATE INDEX llm_budgets_team ON llm_budgets USING btree (team_id) WHERE (team_id IS NOT NULL);

create table llm_prices (
  id text collate "C" not null,
  org_id text collate "C" not null,
  provider text collate "C" not null,
  model text collate "C" not null,
  valid_from timestamptz not null,
  rates jsonb not null,
  note text not null default ''::text,
  created_by text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint llm_prices_pkey PRIMARY KEY (id),
  constraint llm_prices_validity UNIQUE (org_id, provider, model, valid_from),
  constraint llm_prices_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX llm_prices_page ON llm_prices USING btree (org_id, id DESC);

create table llm_provider_grants (
  provider_id text collate "C" not null,
  org_id text collate "C" not null,
  subject_kind text not null,
  team_id text collate "C",
  member_id text collate "C",
  worker_id text collate "C",
  subject_id text collate "C" not null generated always as (COALESCE(team_id, member_id, worker_id, org_id)) stored,
  models text[],
  created_at timestamptz not null default now(),
  constraint llm_provider_grants_pkey PRIMARY KEY (provider_id, subject_id),
  constraint llm_provider_grants_subject CHECK ((((subject_kind = 'team'::text) = (team_id IS NOT NULL)) AND ((subject_kind = 'member'::text) = (member_id IS NOT NULL)) AND ((subject_kind = 'worker'::text) = (worker_id IS NOT NULL)))),
  constraint llm_provider_grants_subject_kind_check CHECK ((subject_kind = ANY (ARRAY['organization'::text, 'team'::text, 'member'::text, 'worker'::text]))),
  constraint llm_provider_grants_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint llm_provider_grants_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint llm_provider_grants_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES llm_providers(id) ON DELETE CASCADE,
  constraint llm_provider_grants_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE,
  constraint llm_provider_grants_worker_fk FOREIGN KEY (worker_id) REFERENCES workers(id) ON DELETE CASCADE
);
CREATE INDEX llm_provider_grants_member ON llm_provider_grants USING btree (member_id) WHERE (member_id IS NOT NULL);
CREATE INDEX llm_provider_grants_subjects ON llm_provider_grants USING btree (org_id, subject_id);
CREATE INDEX llm_provider_grants_team ON llm_provider_grants USING btree (team_id) WHERE (team_id IS NOT NULL);
CREATE INDEX llm_provider_grants_worker ON llm_provider_grants USING btree (worker_id) WHERE (worker_id IS NOT NULL);

create table llm_provider_keys (
  id text collate "C" not null,
  org_id text collate "C" not null,
  provider_id text collate "C" not null,
  name text not null,
  secret text not null,
  tail text not null,
  disabled_at timestamptz,
  retires_at timestamptz,
  replaced_by text collate "C",
  last_verdict text,
  last_message text,
  last_tested_at timestamptz,
  last_issued_at timestamptz,
  created_by text collate "C" not null,
  created_at timestamptz not null default now(),
  constraint llm_provider_keys_pkey PRIMARY KEY (id),
  constraint llm_provider_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint llm_provider_keys_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES llm_providers(id) ON DELETE CASCADE
);
CREATE INDEX llm_provider_keys_organization ON llm_provider_keys USING btree (org_id);
CREATE INDEX llm_provider_keys_page ON llm_provider_keys USING btree (provider_id, id DESC);
CREATE INDEX llm_provider_keys_retiring ON llm_provider_keys USING btree (retires_at) WHERE (retires_at IS NOT NULL);

create table llm_providers (
  id text collate "C" not null,
  org_id text collate "C" not null,
  kind text not null,
  name text not null,
  base_url text not null,
  models text[],
  enabled boolean not null default true,
  created_by text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint llm_providers_pkey PRIMARY KEY (id),
  constraint llm_providers_name UNIQUE (org_id, name),
  constraint llm_providers_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX llm_providers_page ON llm_providers USING btree (org_id, id DESC);

create table llm_recomputations (
  org_id text collate "C" not null,
  model text,
  from_at timestamptz not null,
  "position" jsonb,
  advanced_at timestamptz not null default now(),
  constraint llm_recomputations_pkey PRIMARY KEY (org_id),
  constraint llm_recomputations_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table llm_spend (
  org_id text collate "C" not null,
  subject_id text collate "C" not null,
  day date not null,
  cost_micros bigint not null,
  constraint llm_spend_pkey PRIMARY KEY (org_id, subject_id, day)
) with (fillfactor=70);

create table mails (
  id text collate "C" not null,
  recipient text not null,
  subject text not null,
  text text,
  status text not null,
  error text,
  created_at timestamptz not null default now(),
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'kept'::text, 'sent'::text])))
);

create table maintenance_marks (
  name text not null,
  detail jsonb not null,
  marked_at timestamptz not null default now(),
  constraint maintenance_marks_pkey PRIMARY KEY (name),
  constraint maintenance_marks_name_check CHECK ((name = ANY (ARRAY['last_backup'::text, 'moved_to'::text, 'moving_from'::text])))
);

create table mcp_account_tools (
  connection_id text collate "C" not null,
  member_id text collate "C" not null,
  org_id text collate "C" not null,
  name text collate "C" not null,
  latest jsonb not null,
  latest_hash text not null,
  drift text[] not null,
  renamed_from text,
  changed_at timestamptz not null default now(),
  constraint mcp_account_tools_pkey PRIMARY KEY (connection_id, member_id, name),
  constraint mcp_account_tools_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES mcp_connections(id) ON DELETE CASCADE,
  constraint mcp_account_tools_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint mcp_account_tools_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX mcp_account_tools_member ON mcp_account_tools USING btree (member_id);
CREATE INDEX mcp_account_tools_org ON mcp_account_tools USING btree (org_id);

create table mcp_approvals (
  id text collate "C" not null,
  org_id text collate "C" not null,
  connection_id text collate "C" not null,
  member_id text collate "C",
  run_id text collate "C",
  tool text collate "C" not null,
  tool_hash text not null,
  arguments_hash text not null,
  arguments text,
  argument_bytes integer not null,
  status text not null default 'pending'::text,
  note text,
  decided_by text collate "C",
  decided_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint mcp_approvals_pkey PRIMARY KEY (id),
  constraint mcp_approvals_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text, 'used'::text, 'expired'::text]))),
  constraint mcp_approvals_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES mcp_connections(id) ON DELETE CASCADE,
  constraint mcp_approvals_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES members(id) ON DELETE SET NULL,
  constraint mcp_approvals_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE SET NULL,
  constraint mcp_approvals_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX mcp_approvals_connection ON mcp_approvals USING btree (connection_id);
CREATE INDEX mcp_approvals_decider ON mcp_approvals USING btree (decided_by);
CREATE INDEX mcp_approvals_expiry ON mcp_approvals USING btree (expires_at) WHERE (status = ANY (ARRAY['pending'::text, 'approved'::text]));
CREATE INDEX mcp_approvals_member ON mcp_approvals USING btree (member_id);
CREATE UNIQUE INDEX mcp_approvals_open ON mcp_approvals USING btree (connection_id, member_id, run_id, tool, tool_hash, arguments_hash) NULLS NOT DISTINCT WHERE (status = ANY (ARRAY['pending'::text, 'approved'::text]));
CREATE INDEX mcp_approvals_page ON mcp_approvals USING btree (org_id, id DESC);

create table mcp_authorization_records (
  id text collate "C" not null,
  kind text not null,
  org_id text collate "C",
  grant_id text collate "C",
  payload text not null,
  scopes text[],
  consumed_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint mcp_authorization_records_pkey PRIMARY KEY (id),
  constraint mcp_authorization_records_check CHECK ((((kind = 'interaction'::text) = (grant_id IS NULL)) AND ((grant_id IS NULL) = (org_id IS NULL)))),
  constraint mcp_authorization_records_kind_check CHECK ((kind = ANY (ARRAY['interaction'::text, 'grant'::text, 'code'::text, 'access_token'::text, 'refresh_token'::text]))),
  constraint mcp_authorization_records_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES mcp_client_grants(id) ON DELETE CASCADE,
  constraint mcp_authorization_records_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX mcp_authorization_records_expiry ON mcp_authorization_records USING btree (expires_at);
CREATE INDEX mcp_authorization_records_grant ON mcp_authorization_records USING btree (grant_id) WHERE (grant_id IS NOT NULL);
CREATE INDEX mcp_authorization_records_org ON mcp_authorization_records USING btree (org_id) WHERE (org_id IS NOT NULL);

create table mcp_call_payloads (
  org_id text collate "C" not null,
  call_id text collate "C" not null,
  payload text not null,
  expires_at timestamptz not null,
  constraint mcp_call_payloads_pkey PRIMARY KEY (org_id, call_id)
);
CREATE INDEX mcp_call_payloads_expiry ON mcp_call_payloads USING btree (expires_at);

create table mcp_calls (
  org_id text collate "C" not null,
  id text collate "C" not null,
  connection_id text collate "C" not null,
  member_id text collate "C",
  credential text not null,
  credential_id text collate "C" not null,
  client text,
  tool text collate "C" not null,
  outcome text not null,
  code text,
  ms integer not null,
  request_bytes integer not null,
  result_bytes integer not null,
  run_id text collate "C",
  attempt integer,
  created_at timestamptz not null,
  constraint mcp_calls_pkey PRIMARY KEY (org_id, id),
  constraint mcp_calls_outcome_check CHECK ((outcome = ANY (ARRAY['ok'::text, 'tool_error'::text, 'refused'::text, 'failed'::text, 'cancelled'::text, 'timed_out'::text])))
);
CREATE INDEX mcp_calls_connection ON mcp_calls USING btree (org_id, connection_id, id COLLATE "POSIX");
CREATE INDEX mcp_calls_member ON mcp_calls USING btree (org_id, member_id, id COLLATE "POSIX");
CREATE INDEX mcp_calls_outcome ON mcp_calls USING btree (org_id, outcome, id COLLATE "POSIX") WHERE (outcome <> 'ok'::text);
CREATE INDEX mcp_calls_run ON mcp_calls USING btree (org_id, run_id, id COLLATE "POSIX") WHERE (run_id IS NOT NULL);
CREATE INDEX mcp_calls_tool ON mcp_calls USING btree (org_id, tool, id COLLATE "POSIX");

create table mcp_client_grants (
  id text collate "C" not null,
  org_id text collate "C" not null,
  member_id text collate "C" not null,
  client_id text collate "C" not null,
  client_name text not null,
  registration text not null,
  redirect_host text not null,
  scopes text[] not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  constraint mcp_client_grants_pkey PRIMARY KEY (id),
  constraint mcp_client_grants_registration_check CHECK ((registration = ANY (ARRAY['client_metadata'::text, 'dynamic'::text]))),
  constraint mcp_client_grants_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint mcp_client_grants_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX mcp_client_grants_client ON mcp_client_grants USING btree (client_id);
CREATE INDEX mcp_client_grants_expiry ON mcp_client_grants USING btree (expires_at);
CREATE INDEX mcp_client_grants_member ON mcp_client_grants USING btree (member_id, id DESC);
CREATE INDEX mcp_client_grants_page ON mcp_client_grants USING btree (org_id, id DESC);

create table mcp_connection_grants (
  connection_id text collate "C" not null,
  org_id text collate "C" not null,
  subject_kind text not null,
  team_id text collate "C",
  member_id text collate "C",
  automation_id text collate "C",
  subject_id text collate "C" not null generated always as (COALESCE(team_id, member_id, automation_id, org_id)) stored,
  created_at timestamptz not null default now(),
  constraint mcp_connection_grants_pkey PRIMARY KEY (connection_id, subject_id),
  constraint mcp_connection_grants_subject CHECK ((((subject_kind = 'team'::text) = (team_id IS NOT NULL)) AND ((subject_kind = 'member'::text) = (member_id IS NOT NULL)) AND ((subject_kind = 'automation'::text) = (automation_id IS NOT NULL)))),
  constraint mcp_connection_grants_subject_kind_check CHECK ((subject_kind = ANY (ARRAY['organization'::text, 'team'::text, 'member'::text, 'automation'::text]))),
  constraint mcp_connection_grants_automation_id_fkey FOREIGN KEY (automation_id) REFERENCES automations(id) ON DELETE CASCADE,
  constraint mcp_connection_grants_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES mcp_connections(id) ON DELETE CASCADE,
  constraint mcp_connection_grants_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint mcp_connection_grants_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint mcp_connection_grants_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);
CREATE INDEX mcp_connection_grants_automation ON mcp_connection_grants USING btree (automation_id);
CREATE INDEX mcp_connection_grants_member ON mcp_connection_grants USING btree (member_id);
CREATE INDEX mcp_connection_grants_org ON mcp_connection_grants USING btree (org_id);
CREATE INDEX mcp_connection_grants_team ON mcp_connection_grants USING btree (team_id);

create table mcp_connections (
  id text collate "C" not null,
  org_id text collate "C" not null,
  name text not null,
  slug text collate "C" not null,
  url text not null,
  credential text not null,
  registration text not null,
  provider_id text collate "C",
  authorization_server text,
  resource text,
  scopes text[] not null default '{}'::text[],
  enabled boolean not null default true,
  verdict jsonb not null,
  evidence jsonb not null,
  discovered_at timestamptz not null default now(),
  verdict_drift jsonb,
  health text not null default 'unknown'::text,
  health_step text,
  health_code text,
  health_message text,
  health_since timestamptz,
  checked_at timestamptz,
  next_check_at timestamptz not null default now(),
  protocol_version text,
  policy jsonb not null default '{}'::jsonb,
  limits jsonb not null default '{}'::jsonb,
  log_payloads boolean not null default false,
  payload_days integer not null default 7,
  tool_count integer not null default 0,
  held_tools integer not null default 0,
  tools_at timestamptz,
  created_by text collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  sealed_url text,
  baseline_at timestamptz,
  omitted_tools integer not null default 0,
  check_failures integer not null default 0,
  constraint mcp_connections_pkey PRIMARY KEY (id),
  constraint mcp_connections_org_id_slug_key UNIQUE (org_id, slug),
  constraint mcp_connections_credential_check CHECK ((credential = ANY (ARRAY['shared'::text, 'per_member'::text]))),
  constraint mcp_connections_health_check CHECK ((health = ANY (ARRAY['unknown'::text, 'ok'::text, 'failing'::text]))),
  constraint mcp_connections_registration_check CHECK ((registration = ANY (ARRAY['none'::text, 'client_metadata'::text, 'dynamic'::text, 'pre_registered'::text, 'bearer'::text]))),
  constraint mcp_connections_created_by_fkey FOREIGN KEY (created_by) REFERENCES members(id) ON DELETE SET NULL,
  constraint mcp_connections_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX mcp_connections_care ON mcp_connections USING btree (org_id, id DESC) WHERE (enabled AND ((held_tools > 0) OR (health = 'failing'::text)));
CREATE INDEX mcp_connections_creator ON mcp_connections USING btree (created_by);
CREATE INDEX mcp_connections_due ON mcp_connections USING btree (next_check_at) WHERE enabled;
CREATE INDEX mcp_connections_page ON mcp_connections USING btree (org_id, id DESC);
CREATE INDEX mcp_connections_provider ON mcp_connections USING btree (org_id, provider_id);

create table mcp_credentials (
  id text collate "C" not null,
  org_id text collate "C" not null,
  connection_id text collate "C" not null,
  member_id text collate "C",
  secret text not null,
  updated_at timestamptz not null default now(),
  constraint mcp_credentials_pkey PRIMARY KEY (id),
  constraint mcp_credentials_connection_id_member_id_key UNIQUE NULLS NOT DISTINCT (connection_id, member_id),
  constraint mcp_credentials_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES mcp_connections(id) ON DELETE CASCADE,
  constraint mcp_credentials_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint mcp_credentials_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX mcp_credentials_member ON mcp_credentials USING btree (member_id);
CREATE INDEX mcp_credentials_org ON mcp_credentials USING btree (org_id);

create table mcp_discoveries (
  id text collate "C" not null,
  org_id text collate "C" not null,
  member_id text collate "C",
  url text not null,
  status text not null,
  result jsonb not null,
  evidence jsonb not null,
  duration_ms integer not null,
  created_at timestamptz not null default now(),
  constraint mcp_discoveries_pkey PRIMARY KEY (id),
  constraint mcp_discoveries_status_check CHECK ((status = ANY (ARRAY['ready'::text, 'manual_action_required'::text, 'unsupported'::text, 'unreachable'::text]))),
  constraint mcp_discoveries_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE SET NULL,
  constraint mcp_discoveries_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX mcp_discoveries_age ON mcp_discoveries USING btree (created_at);
CREATE INDEX mcp_discoveries_member ON mcp_discoveries USING btree (member_id);
CREATE INDEX mcp_discoveries_page ON mcp_discoveries USING btree (org_id, id DESC);

create table mcp_discovery_shares (
  id text collate "C" not null,
  org_id text collate "C" not null,
  discovery_id text collate "C" not null,
  token_hash text not null,
  created_by text collate "C",
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint mcp_discovery_shares_pkey PRIMARY KEY (id),
  constraint mcp_discovery_shares_token_hash_key UNIQUE (token_hash),
  constraint mcp_discovery_shares_created_by_fkey FOREIGN KEY (created_by) REFERENCES members(id) ON DELETE SET NULL,
  constraint mcp_discovery_shares_discovery_id_fkey FOREIGN KEY (discovery_id) REFERENCES mcp_discoveries(id) ON DELETE CASCADE,
  constraint mcp_discovery_shares_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX mcp_discovery_shares_creator ON mcp_discovery_shares USING btree (created_by);
CREATE INDEX mcp_discovery_shares_expiry ON mcp_discovery_shares USING btree (expires_at);
CREATE INDEX mcp_discovery_shares_org ON mcp_discovery_shares USING btree (org_id);
CREATE INDEX mcp_discovery_shares_page ON mcp_discovery_shares USING btree (discovery_id, id DESC);

create table mcp_member_states (
  connection_id text collate "C" not null,
  org_id text collate "C" not null,
  member_id text collate "C",
  state text not null,
  missing_scopes text[] not null default '{}'::text[],
  reason text,
  since timestamptz not null default now(),
  next_try_at timestamptz not null default now(),
  constraint mcp_member_states_connection_id_member_id_key UNIQUE NULLS NOT DISTINCT (connection_id, member_id),
  constraint mcp_member_states_state_check CHECK ((state = ANY (ARRAY['sign_in'::text, 'needs_consent'::text]))),
  constraint mcp_member_states_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES mcp_connections(id) ON DELETE CASCADE,
  constraint mcp_member_states_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint mcp_member_states_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX mcp_member_states_member ON mcp_member_states USING btree (member_id);
CREATE INDEX mcp_member_states_org ON mcp_member_states USING btree (org_id);

create table mcp_oauth_clients (
  id text collate "C" not null,
  registration text not null,
  metadata jsonb not null,
  fresh_until timestamptz,
  last_used_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  constraint mcp_oauth_clients_pkey PRIMARY KEY (id),
  constraint mcp_oauth_clients_registration_check CHECK ((registration = ANY (ARRAY['client_metadata'::text, 'dynamic'::text])))
);
CREATE INDEX mcp_oauth_clients_use ON mcp_oauth_clients USING btree (last_used_at);

create table mcp_registrations (
  id text collate "C" not null,
  org_id text collate "C" not null,
  connection_id text collate "C",
  registration_endpoint text not null,
  client_id text,
  management_url text,
  access_token text,
  state text not null default 'intended'::text,
  attempts integer not null default 0,
  last_error text,
  due_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint mcp_registrations_pkey PRIMARY KEY (id),
  constraint mcp_registrations_state_check CHECK ((state = ANY (ARRAY['intended'::text, 'registered'::text, 'kept'::text, 'removing'::text])))
);
CREATE INDEX mcp_registrations_connection ON mcp_registrations USING btree (connection_id);
CREATE INDEX mcp_registrations_due ON mcp_registrations USING btree (due_at) WHERE (state <> 'kept'::text);

create table mcp_tokens (
  id text collate "C" not null,
  org_id text collate "C" not null,
  member_id text collate "C" not null,
  name text not null,
  start text not null,
  token_hash text not null,
  scopes text[] not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  constraint mcp_tokens_pkey PRIMARY KEY (id),
  constraint mcp_tokens_token_hash_key UNIQUE (token_hash),
  constraint mcp_tokens_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint mcp_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX mcp_tokens_expiry ON mcp_tokens USING btree (expires_at);
CREATE INDEX mcp_tokens_member_page ON mcp_tokens USING btree (member_id, id DESC);
CREATE INDEX mcp_tokens_page ON mcp_tokens USING btree (org_id, id DESC);

create table mcp_tools (
  connection_id text collate "C" not null,
  org_id text collate "C" not null,
  name text collate "C" not null,
  approved jsonb,
  approved_hash text,
  approved_by text collate "C",
  approved_at timestamptz,
  latest jsonb,
  latest_hash text,
  drift text[] not null default '{}'::text[],
  renamed_from text,
  first_seen_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  constraint mcp_tools_pkey PRIMARY KEY (connection_id, name),
  constraint mcp_tools_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES members(id) ON DELETE SET NULL,
  constraint mcp_tools_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES mcp_connections(id) ON DELETE CASCADE,
  constraint mcp_tools_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX mcp_tools_approver ON mcp_tools USING btree (approved_by);
CREATE INDEX mcp_tools_drift ON mcp_tools USING btree (connection_id, changed_at DESC) WHERE (drift <> '{}'::text[]);
CREATE INDEX mcp_tools_org ON mcp_tools USING btree (org_id);

create table member_notification_settings (
  member_id text collate "C" not null,
  org_id text collate "C" not null,
  settings jsonb not null,
  updated_at timestamptz not null default now(),
  constraint member_notification_settings_pkey PRIMARY KEY (member_id),
  constraint member_notification_settings_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint member_notification_settings_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX member_notification_settings_org ON member_notification_settings USING btree (org_id);

create table members (
  id text collate "C" not null,
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  role text not null,
  created_at timestamptz not null default now(),
  deactivated_at timestamptz,
  managed_by text collate "C",
  managed_fields text[] not null default '{}'::text[],
  deactivated_by text,
  constraint members_pkey PRIMARY KEY (id),
  constraint members_org_id_user_id_key UNIQUE (org_id, user_id),
  constraint members_deactivated_by_check CHECK ((deactivated_by = ANY (ARRAY['admin'::text, 'directory'::text]))),
  constraint members_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX members_managed ON members USING btree (managed_by) WHERE (managed_by IS NOT NULL);
CREATE INDEX members_page ON members USING btree (org_id, id COLLATE "POSIX" DESC);
CREATE INDEX members_role ON members USING btree (org_id, role, id COLLATE "POSIX" DESC);
CREATE INDEX members_user ON members USING btree (user_id);
CREATE TRIGGER members_attempts AFTER DELETE ON members REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION members_remove_attempts();
CREATE TRIGGER members_oauth_connections BEFORE DELETE ON members FOR EACH ROW EXECUTE FUNCTION oauth_member_left();

create table notification_digests (
  member_id text collate "C" not null,
  topic text collate "C" not null,
  org_id text collate "C" not null,
  type text not null,
  pending integer not null default 0,
  items jsonb not null default '[]'::jsonb,
  opened_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  mailed_at timestamptz,
  constraint notification_digests_pkey PRIMARY KEY (member_id, topic),
  constraint notification_digests_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint notification_digests_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX notification_digests_due ON notification_digests USING btree (due_at) WHERE (pending > 0);
CREATE INDEX notification_digests_idle ON notification_digests USING btree (mailed_at) WHERE (pending = 0);
CREATE INDEX notification_digests_org ON notification_digests USING btree (org_id);

create table notification_events (
  id text collate "C" not null,
  org_id text collate "C" not null,
  type text not null,
  key text collate "C" not null,
  data jsonb not null,
  created_at timestamptz not null default now(),
  fanned_out_at timestamptz,
  failures integer not null default 0,
  due_at timestamptz not null default now(),
  constraint notification_events_pkey PRIMARY KEY (id),
  constraint notification_events_org_id_key_key UNIQUE (org_id, key),
  constraint notification_events_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX notification_events_waiting ON notification_events USING btree (org_id, id) WHERE (fanned_out_at IS NULL);

create table notification_settings (
  org_id text collate "C" not null,
  settings jsonb not null,
  updated_at timestamptz not null default now(),
  constraint notification_settings_pkey PRIMARY KEY (org_id),
  constraint notification_settings_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table oauth_attempts (
  id text collate "C" not null,
  state_hash text not null,
  org_id text collate "C" not null,
  member_id text collate "C" not null,
  provider_id text collate "C" not null,
  credentials_id text collate "C" not null,
  generation integer not null,
  shared boolean not null,
  label text collate "C" not null,
  scopes text[] not null,
  return_to text,
  credential text not null,
  credential_id text not null,
  status text not null default 'started'::text,
  token_id text collate "C",
  account_subject text,
  account_name text,
  code_hash text,
  wrong_codes integer not null default 0,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  key_id text not null,
  constraint oauth_attempts_pkey PRIMARY KEY (id),
  constraint oauth_attempts_status_check CHECK ((status = ANY (ARRAY['started'::text, 'exchanging'::text, 'waiting'::text, 'connected'::text, 'failed'::text, 'superseded'::text]))),
  constraint oauth_attempts_token_id_fkey FOREIGN KEY (token_id) REFERENCES oauth_tokens(id)
);
CREATE INDEX oauth_attempts_of ON oauth_attempts USING btree (org_id, provider_id, member_id, id);
CREATE INDEX oauth_attempts_token ON oauth_attempts USING btree (token_id) WHERE (token_id IS NOT NULL);
CREATE TRIGGER oauth_attempts_gone AFTER DELETE ON oauth_attempts FOR EACH ROW WHEN ((old.token_id IS NOT NULL)) EXECUTE FUNCTION oauth_token_left();

create table oauth_client_credentials (
  id text collate "C" not null,
  org_id text collate "C" not null,
  provider_id text collate "C" not null,
  client_id text not null,
  auth_method text not null,
  secret text,
  private_key text,
  key_id text,
  tenant text,
  server jsonb,
  created_at timestamptz not null default now(),
  resource text,
  constraint oauth_client_credentials_pkey PRIMARY KEY (id),
  constraint oauth_client_credentials_auth_method_check CHECK ((auth_method = ANY (ARRAY['client_secret_basic'::text, 'client_secret_post'::text, 'private_key_jwt'::text, 'none'::text])))
);

create table oauth_clients (
  org_id text collate "C" not null,
  provider_id text collate "C" not null,
  credentials_id text collate "C" not null,
  generation integer not null default 1,
  scopes text[] not null,
  optional_scopes text[] not null,
  connection_mode text not null,
  updated_by text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint oauth_clients_pkey PRIMARY KEY (org_id, provider_id),
  constraint oauth_clients_connection_mode_check CHECK ((connection_mode = ANY (ARRAY['personal'::text, 'organization'::text]))),
  constraint oauth_clients_credentials_id_fkey FOREIGN KEY (credentials_id) REFERENCES oauth_client_credentials(id),
  constraint oauth_clients_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX oauth_clients_credentials ON oauth_clients USING btree (credentials_id);

create table oauth_connection_events (
  id text collate "C" not null,
  org_id text collate "C" not null,
  provider_id text collate "C" not null,
  connection_id text collate "C",
  type text not null,
  member_id text collate "C",
  credential text,
  credential_id text collate "C",
  address text,
  user_agent text,
  detail jsonb not null default '{}'::jsonb,
  created_at timestamptz not null default now(),
  constraint oauth_connection_events_pkey PRIMARY KEY (id)
);
CREATE INDEX oauth_connection_events_connection ON oauth_connection_events USING btree (connection_id, id DESC);
CREATE INDEX oauth_connection_events_org ON oauth_connection_events USING btree (org_id) WHERE (connection_id IS NULL);

create table oauth_connection_grants (
  connection_id text collate "C" not null,
  member_id text collate "C" not null,
  org_id text collate "C" not null,
  created_at timestamptz not null default now(),
  constraint oauth_connection_grants_pkey PRIMARY KEY (connection_id, member_id),
  constraint oauth_connection_grants_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES oauth_connections(id) ON DELETE CASCADE,
  constraint oauth_connection_grants_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE
);
CREATE INDEX oauth_connection_grants_member ON oauth_connection_grants USING btree (member_id);

create table oauth_connection_team_grants (
  connection_id text collate "C" not null,
  team_id text collate "C" not null,
  org_id text collate "C" not null,
  created_at timestamptz not null default now(),
  constraint oauth_connection_team_grants_pkey PRIMARY KEY (connection_id, team_id),
  constraint oauth_connection_team_grants_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES oauth_connections(id) ON DELETE CASCADE,
  constraint oauth_connection_team_grants_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint oauth_connection_team_grants_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);
CREATE INDEX oauth_connection_team_grants_org ON oauth_connection_team_grants USING btree (org_id);
CREATE INDEX oauth_connection_team_grants_team ON oauth_connection_team_grants USING btree (team_id);

create table oauth_connections (
  id text collate "C" not null,
  org_id text collate "C" not null,
  provider_id text collate "C" not null,
  shared boolean not null,
  member_id text collate "C",
  everyone boolean not null default false,
  label text collate "C" not null,
  token_id text collate "C" not null,
  account_subject text,
  account_name text,
  requested_scopes text[] not null,
  status text not null default 'connected'::text,
  reason text,
  connected_by text collate "C" not null,
  connected_at timestamptz not null default now(),
  ended_by text collate "C",
  ended_at timestamptz,
  created_at timestamptz not null default now(),
  constraint oauth_connections_pkey PRIMARY KEY (id),
  constraint oauth_connections_status_check CHECK ((status = ANY (ARRAY['connected'::text, 'needs_reconnect'::text, 'ended'::text]))),
  constraint oauth_connections_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE SET NULL,
  constraint oauth_connections_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint oauth_connections_token_id_fkey FOREIGN KEY (token_id) REFERENCES oauth_tokens(id)
);
CREATE INDEX oauth_connections_ended ON oauth_connections USING btree (ended_at) WHERE (status = 'ended'::text);
CREATE INDEX oauth_connections_live ON oauth_connections USING btree (org_id, provider_id, member_id) WHERE (status <> 'ended'::text);
CREATE INDEX oauth_connections_member ON oauth_connections USING btree (member_id) WHERE (member_id IS NOT NULL);
CREATE UNIQUE INDEX oauth_connections_own ON oauth_connections USING btree (org_id, provider_id, member_id, label) WHERE ((status <> 'ended'::text) AND (NOT shared));
CREATE INDEX oauth_connections_page ON oauth_connections USING btree (org_id, id DESC);
CREATE INDEX oauth_connections_reconnect ON oauth_connections USING btree (org_id) WHERE (status = 'needs_reconnect'::text);
CREATE UNIQUE INDEX oauth_connections_shared ON oauth_connections USING btree (org_id, provider_id, label) WHERE ((status <> 'ended'::text) AND shared);
CREATE INDEX oauth_connections_token ON oauth_connections USING btree (token_id);
CREATE TRIGGER oauth_connections_end AFTER UPDATE OF status ON oauth_connections FOR EACH ROW WHEN (((new.status = 'ended'::text) AND (old.status <> 'ended'::text))) EXECUTE FUNCTION oauth_token_left();
CREATE TRIGGER oauth_connections_events AFTER DELETE ON oauth_connections REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION oauth_connections_remove_events();
CREATE TRIGGER oauth_connections_gone AFTER DELETE ON oauth_connections FOR EACH ROW WHEN ((old.status <> 'ended'::text)) EXECUTE FUNCTION oauth_token_left();

create table oauth_event_leftovers (
  org_id text collate "C" not null,
  connection_id text collate "C" not null,
  constraint oauth_event_leftovers_pkey PRIMARY KEY (org_id, connection_id)
);

create table oauth_providers (
  org_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  issuer text,
  server jsonb,
  discovered_at timestamptz,
  scopes text[] not null default '{}'::text[],
  created_by text collate "C" not null,
  created_at timestamptz not null default now(),
  mcp_connection_id text collate "C",
  constraint oauth_providers_pkey PRIMARY KEY (org_id, id),
  constraint oauth_providers_mcp_connection_id_fkey FOREIGN KEY (mcp_connection_id) REFERENCES mcp_connections(id) ON DELETE CASCADE,
  constraint oauth_providers_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX oauth_providers_mcp_connection ON oauth_providers USING btree (mcp_connection_id);

create table oauth_tokens (
  id text collate "C" not null,
  org_id text collate "C" not null,
  credentials_id text collate "C" not null,
  access_token text,
  refresh_token text,
  refresh_hash text,
  scopes text[] not null,
  obtained_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz not null default now(),
  refresh_state text not null default 'idle'::text,
  holder text,
  lease_expires_at timestamptz,
  consumed_hash text,
  failures integer not null default 0,
  next_refresh_at timestamptz,
  last_error text,
  revoke_state text,
  revoke_attempts integer not null default 0,
  revoke_due_at timestamptz,
  revoke_error text,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  refresh_deaths integer not null default 0,
  revoke_running boolean not null default false,
  revoke_deaths integer not null default 0,
  constraint oauth_tokens_pkey PRIMARY KEY (id),
  constraint oauth_tokens_refresh_state_check CHECK ((refresh_state = ANY (ARRAY['idle'::text, 'refreshing'::text, 'uncertain'::text]))),
  constraint oauth_tokens_revoke_state_check CHECK ((revoke_state = ANY (ARRAY['pending'::text, 'revoked'::text, 'not_offered'::text, 'failed'::text, 'unneeded'::text]))),
  constraint oauth_tokens_credentials_id_fkey FOREIGN KEY (credentials_id) REFERENCES oauth_client_credentials(id)
);
CREATE INDEX oauth_tokens_credentials ON oauth_tokens USING btree (credentials_id);
CREATE INDEX oauth_tokens_ending ON oauth_tokens USING btree (org_id, expires_at) WHERE ((refresh_token IS NULL) AND (expires_at IS NOT NULL) AND (revoke_state IS NULL));
CREATE INDEX oauth_tokens_expiry ON oauth_tokens USING btree (expires_at) WHERE ((refresh_token IS NOT NULL) AND (refresh_state = 'idle'::text) AND (revoke_state IS NULL));
CREATE INDEX oauth_tokens_over ON oauth_tokens USING btree (created_at) WHERE (revoke_state <> 'pending'::text);
CREATE INDEX oauth_tokens_refreshing ON oauth_tokens USING btree (lease_expires_at) WHERE (refresh_state = 'refreshing'::text);
CREATE INDEX oauth_tokens_revoke ON oauth_tokens USING btree (revoke_due_at) WHERE (revoke_state = 'pending'::text);
CREATE INDEX oauth_tokens_uncertain ON oauth_tokens USING btree (org_id) WHERE (refresh_state = 'uncertain'::text);
CREATE INDEX oauth_tokens_unrenewable ON oauth_tokens USING btree (expires_at) WHERE ((refresh_token IS NULL) AND (revoke_state IS NULL) AND (expires_at IS NOT NULL));

create table organization_leftovers (
  org_id text collate "C" not null,
  deleted_at timestamptz not null default now(),
  constraint organization_leftovers_pkey PRIMARY KEY (org_id)
);

create table organization_quotas (
  org_id text collate "C" not null,
  quota text not null,
  max bigint not null,
  updated_at timestamptz not null default now(),
  constraint organization_quotas_pkey PRIMARY KEY (org_id, quota),
  constraint organization_quotas_max_check CHECK ((max >= 0)),
  constraint organization_quotas_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table organization_usage (
  org_id text collate "C" not null,
  quota text not null,
  used bigint not null,
  measured_at timestamptz,
  constraint organization_usage_pkey PRIMARY KEY (org_id, quota),
  constraint organization_usage_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX organization_usage_measured ON organization_usage USING btree (measured_at NULLS FIRST);

create table organizations (
  id text collate "C" not null,
  name text not null,
  slug text not null,
  allowed_email_domains text[] not null default '{}'::text[],
  session_max_age_minutes integer,
  require_sso boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  provisional_until timestamptz,
  provisional_network text,
  sso_required_at timestamptz,
  break_glass_member_id text collate "C",
  suspended_at timestamptz,
  suspended_reason text,
  restored_at timestamptz,
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_slug_key UNIQUE (slug),
  constraint organizations_break_glass_member_id_fkey FOREIGN KEY (break_glass_member_id) REFERENCES members(id) ON DELETE SET NULL
);
CREATE INDEX organizations_break_glass ON organizations USING btree (break_glass_member_id) WHERE (break_glass_member_id IS NOT NULL);
CREATE INDEX organizations_provisional ON organizations USING btree (provisional_until) WHERE (provisional_until IS NOT NULL);
CREATE INDEX organizations_provisional_network ON organizations USING btree (provisional_network) WHERE (provisional_until IS NOT NULL);
CREATE INDEX organizations_restored ON organizations USING btree (restored_at) WHERE (restored_at IS NOT NULL);
CREATE INDEX organizations_suspended ON organizations USING btree (id) WHERE (suspended_at IS NOT NULL);
CREATE TRIGGER organizations_gone AFTER DELETE ON organizations REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION organizations_leave_rows();

create table passkey_challenges (
  challenge_hash text not null,
  purpose text not null,
  user_id text collate "C",
  expires_at timestamptz not null,
  constraint passkey_challenges_pkey PRIMARY KEY (challenge_hash),
  constraint passkey_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['register'::text, 'sign_in'::text]))),
  constraint passkey_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX passkey_challenges_expiry ON passkey_challenges USING btree (expires_at);

create table passkeys (
  id text collate "C" not null,
  user_id text collate "C" not null,
  credential_id text not null,
  public_key text not null,
  counter bigint not null default 0,
  transports text[] not null default '{}'::text[],
  synced boolean not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX passkeys_user ON passkeys USING btree (user_id, id);

create table quota_bounds (
  org_id text collate "C" not null,
  quota text not null,
  at_most bigint not null,
  counted_at timestamptz not null,
  constraint quota_bounds_pkey PRIMARY KEY (org_id, quota),
  constraint quota_bounds_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create unlogged table rate_limits (
  key text not null,
  count integer not null,
  resets_at timestamptz not null,
  constraint rate_limits_pkey PRIMARY KEY (key)
);

create table refused_deliveries (
  id text collate "C" not null,
  org_id text collate "C" not null,
  connector_id text collate "C" not null,
  address text not null,
  dialect text,
  reason text not null,
  refused_at timestamptz not null,
  constraint refused_deliveries_pkey PRIMARY KEY (id),
  constraint refused_deliveries_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES connectors(id) ON DELETE CASCADE,
  constraint refused_deliveries_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX refused_deliveries_connector ON refused_deliveries USING btree (connector_id, id);
CREATE INDEX refused_deliveries_organization ON refused_deliveries USING btree (org_id);

create table roles (
  id text collate "C" not null,
  org_id text collate "C" not null,
  name text not null,
  permissions text[] not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  description text not null default ''::text,
  constraint roles_pkey PRIMARY KEY (id),
  constraint roles_org_id_name_key UNIQUE (org_id, name),
  constraint roles_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX roles_name ON roles USING btree (org_id, lower(name));

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table scim_calls (
  id text collate "C" not null,
  org_id text collate "C" not null,
  connector_id text collate "C" not null,
  method text not null,
  path text not null,
  status integer not null,
  error text,
  duration_ms integer not null,
  request_id text not null,
  called_at timestamptz not null,
  constraint scim_calls_pkey PRIMARY KEY (id),
  constraint scim_calls_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES scim_connectors(id) ON DELETE CASCADE,
  constraint scim_calls_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX scim_calls_org ON scim_calls USING btree (org_id);
CREATE INDEX scim_calls_page ON scim_calls USING btree (connector_id, id DESC);

create table scim_connectors (
  id text collate "C" not null,
  org_id text collate "C" not null,
  name text not null,
  default_role text not null,
  group_mappings jsonb not null default '[]'::jsonb,
  disabled_at timestamptz,
  calls bigint not null default 0,
  errors bigint not null default 0,
  last_call_at timestamptz,
  last_error_at timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint scim_connectors_pkey PRIMARY KEY (id),
  constraint scim_connectors_org_id_key UNIQUE (org_id),
  constraint scim_connectors_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table scim_group_members (
  group_id text collate "C" not null,
  user_id text collate "C" not null,
  org_id text collate "C" not null,
  connector_id text collate "C" not null,
  constraint scim_group_members_pkey PRIMARY KEY (group_id, user_id),
  constraint scim_group_members_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES scim_connectors(id) ON DELETE CASCADE,
  constraint scim_group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES scim_groups(id) ON DELETE CASCADE,
  constraint scim_group_members_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint scim_group_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES scim_users(id) ON DELETE CASCADE
);
CREATE INDEX scim_group_members_connector ON scim_group_members USING btree (connector_id, group_id, user_id);
CREATE INDEX scim_group_members_org ON scim_group_members USING btree (org_id, user_id, group_id);
CREATE INDEX scim_group_members_user ON scim_group_members USING btree (user_id, group_id);

create table scim_groups (
  id text collate "C" not null,
  org_id text collate "C" not null,
  connector_id text collate "C" not null,
  display_name text not null,
  display_name_key text collate "C" not null,
  external_id text collate "C",
  resource jsonb not null,
  search jsonb not null,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint scim_groups_pkey PRIMARY KEY (id),
  constraint scim_groups_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES scim_connectors(id) ON DELETE CASCADE,
  constraint scim_groups_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX scim_groups_external ON scim_groups USING btree (external_id, connector_id);
CREATE UNIQUE INDEX scim_groups_name ON scim_groups USING btree (display_name_key, connector_id);
CREATE INDEX scim_groups_org ON scim_groups USING btree (org_id, id);
CREATE INDEX scim_groups_page ON scim_groups USING btree (connector_id, id);
CREATE INDEX scim_groups_search ON scim_groups USING gin (search jsonb_path_ops) WITH (fastupdate=off);

create table scim_tokens (
  id text collate "C" not null,
  connector_id text collate "C" not null,
  org_id text collate "C" not null,
  start text not null,
  token_hash text not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  constraint scim_tokens_pkey PRIMARY KEY (id),
  constraint scim_tokens_token_hash_key UNIQUE (token_hash),
  constraint scim_tokens_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES scim_connectors(id) ON DELETE CASCADE,
  constraint scim_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX scim_tokens_connector ON scim_tokens USING btree (connector_id, id DESC);
CREATE INDEX scim_tokens_org ON scim_tokens USING btree (org_id);

create table scim_user_emails (
  user_id text collate "C" not null,
  email_key text collate "C" not null,
  connector_id text collate "C" not null,
  org_id text collate "C" not null,
  constraint scim_user_emails_pkey PRIMARY KEY (user_id, email_key),
  constraint scim_user_emails_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES scim_connectors(id) ON DELETE CASCADE,
  constraint scim_user_emails_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint scim_user_emails_user_id_fkey FOREIGN KEY (user_id) REFERENCES scim_users(id) ON DELETE CASCADE
);
CREATE INDEX scim_user_emails_connector ON scim_user_emails USING btree (connector_id, user_id);
CREATE INDEX scim_user_emails_key ON scim_user_emails USING btree (email_key, connector_id, user_id);
CREATE INDEX scim_user_emails_org ON scim_user_emails USING btree (org_id, user_id);

create table scim_users (
  id text collate "C" not null,
  org_id text collate "C" not null,
  connector_id text collate "C" not null,
  user_name text not null,
  user_name_key text collate "C" not null,
  external_id text collate "C",
  active boolean not null,
  member_id text collate "C",
  resource jsonb not null,
  search jsonb not null,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint scim_users_pkey PRIMARY KEY (id),
  constraint scim_users_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES scim_connectors(id) ON DELETE CASCADE,
  constraint scim_users_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE SET NULL,
  constraint scim_users_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX scim_users_external ON scim_users USING btree (external_id, connector_id);
CREATE UNIQUE INDEX scim_users_member ON scim_users USING btree (member_id) WHERE (member_id IS NOT NULL);
CREATE UNIQUE INDEX scim_users_name ON scim_users USING btree (user_name_key, connector_id);
CREATE INDEX scim_users_org ON scim_users USING btree (org_id, id);
CREATE INDEX scim_users_page ON scim_users USING btree (connector_id, id);
CREATE INDEX scim_users_search ON scim_users USING gin (search jsonb_path_ops) WITH (fastupdate=off);
CREATE INDEX scim_users_unlinked ON scim_users USING btree (org_id, id) WHERE (member_id IS NULL);
CREATE TRIGGER scim_users_changed AFTER UPDATE OF search ON scim_users FOR EACH ROW WHEN (((old.search -> 'emails'::text) IS DISTINCT FROM (new.search -> 'emails'::text))) EXECUTE FUNCTION scim_users_write_emails();
CREATE TRIGGER scim_users_created AFTER INSERT ON scim_users FOR EACH ROW WHEN ((new.search ? 'emails'::text)) EXECUTE FUNCTION scim_users_write_emails();

create table sealing_formats (
  ended integer not null,
  mark text not null,
  ended_at timestamptz not null default now(),
  constraint sealing_formats_pkey PRIMARY KEY (ended)
);

create table secret_canaries (
  key_id text collate "C" not null,
  sealed text not null,
  created_at timestamptz not null default now(),
  constraint secret_canaries_pkey PRIMARY KEY (key_id)
);

create table sessions (
  id text collate "C" not null,
  user_id text collate "C" not null,
  token_hash text not null,
  signed_in_by text not null default 'password'::text,
  active_organization_id text collate "C",
  ip_address text,
  user_agent text,
  expires_at timestamptz not null,
  last_used_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  reauthenticated_at timestamptz,
  sso_org_id text collate "C",
  sso_connector_id text collate "C",
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash),
  constraint sessions_active_organization_id_fkey FOREIGN KEY (active_organization_id) REFERENCES organizations(id) ON DELETE SET NULL,
  constraint sessions_sso_connector_id_fkey FOREIGN KEY (sso_connector_id) REFERENCES sso_connectors(id) ON DELETE CASCADE,
  constraint sessions_sso_org_id_fkey FOREIGN KEY (sso_org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sessions_expiry ON sessions USING btree (expires_at);
CREATE INDEX sessions_organization ON sessions USING btree (active_organization_id) WHERE (active_organization_id IS NOT NULL);
CREATE INDEX sessions_page ON sessions USING btree (user_id, id DESC);
CREATE INDEX sessions_sso_connector ON sessions USING btree (sso_connector_id) WHERE (sso_connector_id IS NOT NULL);
CREATE INDEX sessions_sso_org ON sessions USING btree (sso_org_id) WHERE (sso_org_id IS NOT NULL);

create table sign_in_challenges (
  token_hash text not null,
  user_id text collate "C" not null,
  attempts integer not null default 0,
  expires_at timestamptz not null,
  constraint sign_in_challenges_pkey PRIMARY KEY (token_hash),
  constraint sign_in_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sign_in_challenges_expiry ON sign_in_challenges USING btree (expires_at);
CREATE INDEX sign_in_challenges_user ON sign_in_challenges USING btree (user_id);

create table sso_attempts (
  id text collate "C" not null,
  org_id text collate "C" not null,
  connector_id text collate "C" not null,
  purpose text not null,
  state_hash text not null,
  browser_hash text,
  request_id text collate "C",
  secrets text not null,
  user_id text collate "C",
  used_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint sso_attempts_pkey PRIMARY KEY (id),
  constraint sso_attempts_state_hash_key UNIQUE (state_hash),
  constraint sso_attempts_purpose_check CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'reauthenticate'::text, 'test'::text, 'link'::text, 'confirm'::text]))),
  constraint sso_attempts_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES sso_connectors(id) ON DELETE CASCADE,
  constraint sso_attempts_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint sso_attempts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sso_attempts_connector ON sso_attempts USING btree (connector_id);
CREATE INDEX sso_attempts_expiry ON sso_attempts USING btree (expires_at);
CREATE INDEX sso_attempts_org ON sso_attempts USING btree (org_id);
CREATE UNIQUE INDEX sso_attempts_request ON sso_attempts USING btree (connector_id, request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX sso_attempts_user ON sso_attempts USING btree (user_id) WHERE (user_id IS NOT NULL);

create table sso_certificate_notices (
  connector_id text collate "C" not null,
  org_id text collate "C" not null,
  fingerprint text collate "C" not null,
  days integer not null,
  created_at timestamptz not null default now(),
  constraint sso_certificate_notices_pkey PRIMARY KEY (connector_id, fingerprint, days),
  constraint sso_certificate_notices_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES sso_connectors(id) ON DELETE CASCADE,
  constraint sso_certificate_notices_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX sso_certificate_notices_org ON sso_certificate_notices USING btree (org_id);

create table sso_connectors (
  id text collate "C" not null,
  org_id text collate "C" not null,
  kind text not null,
  name text not null,
  enabled boolean not null default true,
  settings jsonb not null,
  client_secret text,
  earlier_client_secret text,
  earlier_secret_until timestamptz,
  default_role text not null default 'member'::text,
  group_mappings jsonb not null default '[]'::jsonb,
  creates_members boolean not null default true,
  tested_at timestamptz,
  tested_by text collate "C",
  last_sign_in_at timestamptz,
  last_error_at timestamptz,
  last_error_code text,
  last_error text,
  sign_ins bigint not null default 0,
  failures bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint sso_connectors_pkey PRIMARY KEY (id),
  constraint sso_connectors_kind_check CHECK ((kind = ANY (ARRAY['oidc'::text, 'saml'::text]))),
  constraint sso_connectors_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint sso_connectors_tested_by_fkey FOREIGN KEY (tested_by) REFERENCES users(id) ON DELETE SET NULL
);
CREATE INDEX sso_connectors_org ON sso_connectors USING btree (org_id, id DESC);
CREATE INDEX sso_connectors_tester ON sso_connectors USING btree (tested_by) WHERE (tested_by IS NOT NULL);

create table sso_domains (
  id text collate "C" not null,
  org_id text collate "C" not null,
  domain text collate "C" not null,
  challenge text not null,
  verified_at timestamptz,
  checked_at timestamptz,
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  constraint sso_domains_pkey PRIMARY KEY (id),
  constraint sso_domains_org_id_domain_key UNIQUE (org_id, domain),
  constraint sso_domains_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX sso_domains_due ON sso_domains USING btree (checked_at) WHERE (verified_at IS NOT NULL);
CREATE UNIQUE INDEX sso_domains_verified ON sso_domains USING btree (domain) WHERE (verified_at IS NOT NULL);

create table sso_events (
  id text collate "C" not null,
  org_id text collate "C" not null,
  connector_id text collate "C" not null,
  purpose text not null,
  outcome text not null,
  code text not null,
  message text not null,
  subject text,
  email text,
  user_id text collate "C",
  address text,
  request_id text,
  created_at timestamptz not null default now(),
  constraint sso_events_pkey PRIMARY KEY (id),
  constraint sso_events_outcome_check CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'refused'::text]))),
  constraint sso_events_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES sso_connectors(id) ON DELETE CASCADE,
  constraint sso_events_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX sso_events_org ON sso_events USING btree (org_id);
CREATE INDEX sso_events_page ON sso_events USING btree (connector_id, id DESC);

create table sso_identities (
  id text collate "C" not null,
  connector_id text collate "C" not null,
  org_id text collate "C" not null,
  subject text collate "C" not null,
  user_id text collate "C" not null,
  email text,
  mapped_role text,
  mapped_team_ids text[] not null default '{}'::text[],
  last_sign_in_at timestamptz,
  created_at timestamptz not null default now(),
  constraint sso_identities_pkey PRIMARY KEY (id),
  constraint sso_identities_connector_id_subject_key UNIQUE (connector_id, subject),
  constraint sso_identities_connector_id_user_id_key UNIQUE (connector_id, user_id),
  constraint sso_identities_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES sso_connectors(id) ON DELETE CASCADE,
  constraint sso_identities_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint sso_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sso_identities_org ON sso_identities USING btree (org_id, user_id);
CREATE INDEX sso_identities_user ON sso_identities USING btree (user_id);

create table sso_saml_metadata (
  connector_id text collate "C" not null,
  org_id text collate "C" not null,
  url text,
  next_check_at timestamptz,
  checked_at timestamptz,
  failure_code text,
  failure text,
  pending jsonb,
  pending_since timestamptz,
  constraint sso_saml_metadata_pkey PRIMARY KEY (connector_id),
  constraint sso_saml_metadata_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES sso_connectors(id) ON DELETE CASCADE,
  constraint sso_saml_metadata_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX sso_saml_metadata_due ON sso_saml_metadata USING btree (next_check_at) WHERE (next_check_at IS NOT NULL);
CREATE INDEX sso_saml_metadata_org ON sso_saml_metadata USING btree (org_id);

create table sso_used_assertions (
  connector_id text collate "C" not null,
  assertion_id text collate "C" not null,
  org_id text collate "C" not null,
  expires_at timestamptz not null,
  constraint sso_used_assertions_pkey PRIMARY KEY (connector_id, assertion_id),
  constraint sso_used_assertions_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES sso_connectors(id) ON DELETE CASCADE,
  constraint sso_used_assertions_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX sso_used_assertions_expiry ON sso_used_assertions USING btree (expires_at);
CREATE INDEX sso_used_assertions_org ON sso_used_assertions USING btree (org_id);

create table team_members (
  team_id text collate "C" not null,
  member_id text collate "C" not null,
  org_id text collate "C" not null,
  created_at timestamptz not null default now(),
  managed boolean not null default false,
  constraint team_members_pkey PRIMARY KEY (team_id, member_id),
  constraint team_members_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint team_members_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint team_members_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);
CREATE INDEX team_members_member ON team_members USING btree (member_id);
CREATE INDEX team_members_org ON team_members USING btree (org_id);

create table teams (
  id text collate "C" not null,
  org_id text collate "C" not null,
  name text not null,
  description text not null default ''::text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint teams_pkey PRIMARY KEY (id),
  constraint teams_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX teams_name ON teams USING btree (org_id, lower(name));
CREATE INDEX teams_page ON teams USING btree (org_id, id DESC);

create table telemetry_events (
  org_id text collate "C" not null,
  id text collate "C" not null,
  signal text not null,
  event_id text collate "C" not null,
  digest bytea not null,
  at timestamptz not null,
  type text collate "C" not null,
  source text not null,
  mapping_version integer not null,
  member_id text collate "C",
  worker_id text collate "C",
  run_id text collate "C",
  automation_id text collate "C",
  provider text,
  model text collate "C",
  input_tokens bigint,
  output_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  cost_micros bigint,
  pricing text not null,
  counts_usage boolean not null,
  duration_ms bigint,
  failed boolean not null,
  value numeric,
  tool_name text,
  agent_name text,
  conversation_id text,
  attributes jsonb,
  received_at timestamptz not null default now(),
  constraint telemetry_events_pkey PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX telemetry_events_event ON telemetry_events USING btree (org_id, event_id, signal);
CREATE INDEX telemetry_events_member ON telemetry_events USING btree (org_id, member_id, id COLLATE "POSIX");
CREATE INDEX telemetry_events_run ON telemetry_events USING btree (org_id, run_id, id COLLATE "POSIX") WHERE (run_id IS NOT NULL);
CREATE INDEX telemetry_events_type ON telemetry_events USING btree (org_id, type, id COLLATE "POSIX" DESC) WHERE (type <> 'model_call'::text);

create table telemetry_names (
  org_id text collate "C" not null,
  day date not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  constraint telemetry_names_pkey PRIMARY KEY (org_id, day, kind, name)
);

create table telemetry_points (
  org_id text collate "C" not null,
  series bytea not null,
  started_nanos bigint not null,
  nanos bigint not null,
  value numeric not null,
  constraint telemetry_points_pkey PRIMARY KEY (org_id, series, started_nanos, nanos)
);

create table telemetry_settings (
  org_id text collate "C" not null,
  enabled boolean not null default true,
  keeps_contents boolean not null default false,
  retention_days integer not null default 90,
  pruned_before date,
  updated_at timestamptz not null default now(),
  counted_from timestamptz,
  pruned_on date,
  constraint telemetry_settings_pkey PRIMARY KEY (org_id),
  constraint telemetry_settings_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table telemetry_sums (
  no bigint not null generated always as identity,
  org_id text collate "C" not null,
  day date not null,
  type text collate "C" not null,
  member_id text collate "C" not null,
  model text collate "C" not null,
  worker_id text collate "C" not null,
  automation_id text collate "C" not null,
  is_merged boolean not null default false,
  events bigint not null,
  failures bigint not null,
  input_tokens numeric not null,
  output_tokens numeric not null,
  cache_read_tokens numeric not null,
  cache_write_tokens numeric not null,
  cost_micros numeric not null,
  priced_events bigint not null,
  unpriced_events bigint not null,
  duration_ms numeric not null,
  timed_events bigint not null,
  value numeric not null,
  constraint telemetry_sums_pkey PRIMARY KEY (no)
);
CREATE INDEX telemetry_sums_group ON telemetry_sums USING btree (org_id, day, type, member_id, model);
CREATE INDEX telemetry_sums_new ON telemetry_sums USING btree (no) WHERE (NOT is_merged);

create table template_search (
  org_id text collate "C" not null,
  template_id text collate "C" not null,
  text text not null,
  tags text[] not null,
  constraint template_search_pkey PRIMARY KEY (org_id, template_id),
  constraint template_search_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint template_search_template_id_fkey FOREIGN KEY (template_id) REFERENCES templates(id) ON DELETE CASCADE
);
CREATE INDEX template_search_template ON template_search USING btree (template_id);

create table template_versions (
  template_id text collate "C" not null,
  version integer not null,
  org_id text collate "C" not null,
  slug text not null,
  name text not null,
  description text not null,
  tags text[] not null,
  body text not null,
  metadata jsonb not null,
  commit_sha text,
  commit_author text,
  created_by text collate "C",
  created_at timestamptz not null default now(),
  constraint template_versions_pkey PRIMARY KEY (template_id, version),
  constraint template_versions_template_id_fkey FOREIGN KEY (template_id) REFERENCES templates(id) ON DELETE CASCADE
);

create table templates (
  id text collate "C" not null,
  org_id text collate "C" not null,
  slug text collate "C" not null,
  name text not null,
  description text not null default ''::text,
  tags text[] not null default '{}'::text[],
  body text not null,
  metadata jsonb not null default '{}'::jsonb,
  version integer not null,
  digest text not null,
  connector_id text collate "C",
  path text collate "C",
  source text,
  commit_sha text,
  commit_author text,
  created_by text collate "C",
  updated_by text collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint templates_pkey PRIMARY KEY (id),
  constraint templates_org_id_slug_key UNIQUE (org_id, slug) DEFERRABLE,
  constraint templates_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES connectors(id) ON DELETE SET NULL (connector_id),
  constraint templates_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX templates_page ON templates USING btree (org_id, id DESC);
CREATE UNIQUE INDEX templates_path ON templates USING btree (connector_id, path) WHERE (connector_id IS NOT NULL);
CREATE TRIGGER template_search_insert AFTER INSERT ON templates FOR EACH ROW EXECUTE FUNCTION keep_template_search();
CREATE TRIGGER template_search_update AFTER UPDATE OF slug, name, description, tags ON templates FOR EACH ROW WHEN (((old.slug IS DISTINCT FROM new.slug) OR (old.name IS DISTINCT FROM new.name) OR (old.description IS DISTINCT FROM new.description) OR (old.tags IS DISTINCT FROM new.tags))) EXECUTE FUNCTION keep_template_search();

create table two_factors (
  user_id text collate "C" not null,
  secret text not null,
  confirmed_at timestamptz,
  last_step bigint not null default 0,
  created_at timestamptz not null default now(),
  constraint two_factors_pkey PRIMARY KEY (user_id),
  constraint two_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table usage_days (
  day date not null,
  org_id text collate "C" not null,
  succeeded bigint not null,
  failed bigint not null,
  cancelled bigint not null,
  skipped bigint not null,
  reports bigint not null,
  unpriced_reports bigint not null,
  held_reports bigint not null,
  input_tokens numeric not null,
  output_tokens numeric not null,
  cost_micros numeric not null,
  constraint usage_days_pkey PRIMARY KEY (day, org_id),
  constraint usage_days_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX usage_days_org ON usage_days USING btree (org_id, day);

create table usage_reopened_days (
  day date not null,
  org_id text collate "C" not null,
  constraint usage_reopened_days_pkey PRIMARY KEY (day, org_id),
  constraint usage_reopened_days_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX usage_reopened_days_org ON usage_reopened_days USING btree (org_id);

create table usage_rollups (
  day date not null,
  completed_at timestamptz,
  constraint usage_rollups_pkey PRIMARY KEY (day)
);

create table users (
  id text collate "C" not null,
  email text not null,
  email_verified boolean not null default false,
  name text not null,
  image text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  provisional boolean not null default false,
  created_by_org_id text collate "C",
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_key UNIQUE (email),
  constraint users_created_by_org_id_fkey FOREIGN KEY (created_by_org_id) REFERENCES organizations(id) ON DELETE SET NULL
);
CREATE INDEX users_created_by ON users USING btree (created_by_org_id) WHERE (created_by_org_id IS NOT NULL);
CREATE INDEX users_email_order ON users USING btree (email COLLATE "C");
CREATE TRIGGER users_first_account AFTER INSERT ON users FOR EACH ROW WHEN (((NOT new.provisional) AND (new.created_by_org_id IS NULL))) EXECUTE FUNCTION keep_first_account();

create table verifications (
  id text collate "C" not null,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint verifications_pkey PRIMARY KEY (id)
);
CREATE INDEX verifications_expiry ON verifications USING btree (expires_at);
CREATE INDEX verifications_identifier ON verifications USING btree (identifier);

create table webhook_deliveries (
  id text collate "C" not null,
  scope text collate "C" not null,
  delivery_id text collate "C" not null,
  org_id text collate "C",
  dialect text not null,
  event text not null,
  action text,
  repository text,
  ref text,
  head text,
  installation_id text,
  outcome text not null,
  reason text,
  headers jsonb not null,
  body bytea not null,
  body_digest bytea,
  repeats integer not null default 0,
  altered_at timestamptz,
  last_received_at timestamptz not null default now(),
  received_at timestamptz not null default now(),
  target_connector_id text collate "C",
  target_org_id text collate "C",
  target_sync_id text collate "C",
  dropped_body_bytes integer,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_outcome_check CHECK ((outcome = ANY (ARRAY['accepted'::text, 'ignored'::text, 'invalid'::text])))
) partition by RANGE (id);
CREATE INDEX webhook_deliveries_altered ON ONLY webhook_deliveries USING btree (COALESCE(target_org_id, org_id), altered_at) WHERE (altered_at IS NOT NULL);
CREATE INDEX webhook_deliveries_connector_event ON ONLY webhook_deliveries USING btree (target_connector_id, event, id COLLATE "POSIX" DESC) WHERE (event <> 'push'::text);
CREATE INDEX webhook_deliveries_connector_outcome ON ONLY webhook_deliveries USING btree (target_connector_id, outcome, id COLLATE "POSIX" DESC) WHERE (outcome <> 'accepted'::text);
CREATE INDEX webhook_deliveries_org ON ONLY webhook_deliveries USING btree (org_id, id DESC) WHERE (org_id IS NOT NULL);
CREATE INDEX webhook_deliveries_org_event ON ONLY webhook_deliveries USING btree (target_org_id, event, id COLLATE "POSIX" DESC) WHERE (event <> 'push'::text);
CREATE INDEX webhook_deliveries_org_outcome ON ONLY webhook_deliveries USING btree (target_org_id, outcome, id COLLATE "POSIX" DESC) WHERE (outcome <> 'accepted'::text);
CREATE INDEX webhook_deliveries_target_connector ON ONLY webhook_deliveries USING btree (target_connector_id, id DESC) WHERE (target_connector_id IS NOT NULL);
CREATE INDEX webhook_deliveries_target_org ON ONLY webhook_deliveries USING btree (target_org_id, id DESC) WHERE (target_org_id IS NOT NULL);
CREATE TRIGGER webhook_deliveries_gone AFTER DELETE ON webhook_deliveries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION webhook_deliveries_remove_keys();

create table webhook_delivery_keys (
  scope text collate "C" not null,
  delivery_id text collate "C" not null,
  id text collate "C" not null,
  constraint webhook_delivery_keys_pkey PRIMARY KEY (scope, delivery_id)
);
CREATE INDEX webhook_delivery_keys_id ON webhook_delivery_keys USING btree (id);

create table webhook_delivery_targets (
  delivery text collate "C" not null,
  connector_id text collate "C" not null,
  org_id text collate "C" not null,
  sync_id text collate "C",
  constraint webhook_delivery_targets_pkey PRIMARY KEY (delivery, connector_id)
);
CREATE INDEX webhook_delivery_targets_connector ON webhook_delivery_targets USING btree (connector_id, delivery DESC);
CREATE INDEX webhook_delivery_targets_org ON webhook_delivery_targets USING btree (org_id, delivery DESC);

create table webhook_endpoint_deliveries (
  id text collate "C" not null,
  org_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  type text not null,
  body text not null,
  status text not null default 'pending'::text,
  attempt integer not null default 0,
  tries integer not null default 0,
  sending boolean not null default false,
  due_at timestamptz not null default now(),
  attempts jsonb not null default '[]'::jsonb,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint webhook_endpoint_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_endpoint_deliveries_endpoint_id_event_id_key UNIQUE (endpoint_id, event_id),
  constraint webhook_endpoint_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text]))),
  constraint webhook_endpoint_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE,
  constraint webhook_endpoint_deliveries_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX webhook_endpoint_deliveries_due ON webhook_endpoint_deliveries USING btree (due_at, org_id, endpoint_id) WHERE (status = 'pending'::text);
CREATE INDEX webhook_endpoint_deliveries_next ON webhook_endpoint_deliveries USING btree (endpoint_id, due_at, id) WHERE (status = 'pending'::text);
CREATE INDEX webhook_endpoint_deliveries_org ON webhook_endpoint_deliveries USING btree (org_id);
CREATE INDEX webhook_endpoint_deliveries_page ON webhook_endpoint_deliveries USING btree (endpoint_id, id DESC);
CREATE INDEX webhook_endpoint_deliveries_status ON webhook_endpoint_deliveries USING btree (endpoint_id, status, id COLLATE "POSIX" DESC) WHERE (status <> 'succeeded'::text);

create table webhook_endpoints (
  id text collate "C" not null,
  org_id text collate "C" not null,
  url text not null,
  description text not null default ''::text,
  types text[] not null default '{}'::text[],
  status text not null default 'enabled'::text,
  disabled_reason text,
  disabled_at timestamptz,
  secret text not null,
  previous_secret text,
  previous_secret_expires_at timestamptz,
  failing_since timestamptz,
  failures integer not null default 0,
  last_succeeded_at timestamptz,
  created_by text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['member'::text, 'failing'::text, 'gone'::text]))),
  constraint webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text]))),
  constraint webhook_endpoints_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX webhook_endpoints_page ON webhook_endpoints USING btree (org_id, id DESC);

create table worker_activity (
  id text collate "C" not null,
  org_id text collate "C" not null,
  worker_id text collate "C" not null,
  type text not null,
  detail jsonb not null default '{}'::jsonb,
  at timestamptz not null default now(),
  constraint worker_activity_pkey PRIMARY KEY (id),
  constraint worker_activity_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint worker_activity_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES workers(id) ON DELETE CASCADE
);
CREATE INDEX worker_activity_org ON worker_activity USING btree (org_id);
CREATE INDEX worker_activity_page ON worker_activity USING btree (worker_id, id DESC);

create table worker_beats (
  seen_at timestamptz,
  sequence bigint not null default '-1'::integer,
  status text not null default 'online'::text,
  worker_id text collate "C" not null,
  run_ids text not null default ''::text,
  constraint worker_beats_pkey PRIMARY KEY (worker_id),
  constraint worker_beats_status_check CHECK ((status = ANY (ARRAY['online'::text, 'busy'::text, 'idle'::text, 'draining'::text, 'stopped'::text]))),
  constraint worker_beats_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES workers(id) ON DELETE CASCADE
) with (fillfactor=50);

create table worker_registration_secrets (
  token_hash text not null,
  token_id text collate "C" not null,
  org_id text collate "C" not null,
  start text not null,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  constraint worker_registration_secrets_pkey PRIMARY KEY (token_hash),
  constraint worker_registration_secrets_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint worker_registration_secrets_token_id_fkey FOREIGN KEY (token_id) REFERENCES worker_registration_tokens(id) ON DELETE CASCADE
);
CREATE INDEX worker_registration_secrets_org ON worker_registration_secrets USING btree (org_id);
CREATE INDEX worker_registration_secrets_token ON worker_registration_secrets USING btree (token_id);

create table worker_registration_tokens (
  id text collate "C" not null,
  org_id text collate "C" not null,
  member_id text collate "C" not null,
  name text not null,
  kind text not null,
  labels text[] not null default '{}'::text[],
  template_ids text[] not null default '{}'::text[],
  connection_ids text[] not null default '{}'::text[],
  runner_permissions text[] not null,
  uses integer not null default 0,
  max_uses integer,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  llm_provider_ids text[] not null default '{}'::text[],
  mcp_connection_ids text[] not null default '{}'::text[],
  constraint worker_registration_tokens_pkey PRIMARY KEY (id),
  constraint worker_registration_tokens_kind_check CHECK ((kind = ANY (ARRAY['local'::text, 'remote'::text, 'ephemeral'::text]))),
  constraint worker_registration_tokens_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint worker_registration_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX worker_registration_tokens_member ON worker_registration_tokens USING btree (member_id);
CREATE INDEX worker_registration_tokens_page ON worker_registration_tokens USING btree (org_id, id DESC);

create table worker_rollouts (
  id text collate "C" not null,
  org_id text collate "C" not null,
  version text not null,
  percent integer not null,
  labels text[] not null default '{}'::text[],
  deadline_seconds integer not null,
  ended_at timestamptz,
  created_by text collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint worker_rollouts_pkey PRIMARY KEY (id),
  constraint worker_rollouts_percent_check CHECK (((percent >= 1) AND (percent <= 100))),
  constraint worker_rollouts_created_by_fkey FOREIGN KEY (created_by) REFERENCES members(id) ON DELETE SET NULL,
  constraint worker_rollouts_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX worker_rollouts_active ON worker_rollouts USING btree (org_id, labels) WHERE (ended_at IS NULL);
CREATE INDEX worker_rollouts_creator ON worker_rollouts USING btree (created_by);
CREATE INDEX worker_rollouts_page ON worker_rollouts USING btree (org_id, id DESC);

create table worker_runtimes (
  worker_id text collate "C" not null,
  version text not null,
  api_version integer not null,
  platform text not null,
  arch text not null,
  capabilities text[] not null default '{}'::text[],
  limits jsonb not null default '{}'::jsonb,
  services jsonb not null default '[]'::jsonb,
  boot_id text,
  configuration_revision integer,
  reported_at timestamptz not null default now(),
  constraint worker_runtimes_pkey PRIMARY KEY (worker_id),
  constraint worker_runtimes_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES workers(id) ON DELETE CASCADE
);

create table worker_service (
  id boolean not null default true,
  alive_at timestamptz not null default now(),
  outages tstzmultirange not null default '{}'::tstzmultirange,
  interval_seconds integer not null default 15,
  previous_seconds integer not null default 15,
  interval_changed_at timestamptz not null default now(),
  constraint worker_service_pkey PRIMARY KEY (id),
  constraint worker_service_id_check CHECK (id)
) with (fillfactor=50);

create table worker_states (
  worker_id text collate "C" not null,
  state text not null default 'never_connected'::text,
  since timestamptz not null default now(),
  notices smallint not null default 0,
  constraint worker_states_pkey PRIMARY KEY (worker_id),
  constraint worker_states_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES workers(id) ON DELETE CASCADE
) with (fillfactor=50);

create table worker_tokens (
  id text collate "C" not null,
  worker_id text collate "C" not null,
  org_id text collate "C" not null,
  start text not null,
  token_hash text not null,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  constraint worker_tokens_pkey PRIMARY KEY (id),
  constraint worker_tokens_token_hash_key UNIQUE (token_hash),
  constraint worker_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint worker_tokens_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES workers(id) ON DELETE CASCADE
);
CREATE INDEX worker_tokens_org ON worker_tokens USING btree (org_id);
CREATE INDEX worker_tokens_worker ON worker_tokens USING btree (worker_id, id DESC);

create table worker_upgrades (
  id text collate "C" not null,
  org_id text collate "C" not null,
  worker_id text collate "C" not null,
  rollout_id text collate "C",
  version text not null,
  from_version text,
  state text not null default 'requested'::text,
  reason text,
  deadline_at timestamptz not null,
  created_at timestamptz not null default now(),
  acknowledged_at timestamptz,
  draining_at timestamptz,
  ended_at timestamptz,
  desired_before text,
  missed boolean not null default false,
  constraint worker_upgrades_pkey PRIMARY KEY (id),
  constraint worker_upgrades_state_check CHECK ((state = ANY (ARRAY['requested'::text, 'acknowledged'::text, 'draining'::text, 'upgraded'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text]))),
  constraint worker_upgrades_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint worker_upgrades_rollout_id_fkey FOREIGN KEY (rollout_id) REFERENCES worker_rollouts(id) ON DELETE CASCADE,
  constraint worker_upgrades_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES workers(id) ON DELETE CASCADE
);
CREATE INDEX worker_upgrades_deadline ON worker_upgrades USING btree (deadline_at) WHERE (ended_at IS NULL);
CREATE INDEX worker_upgrades_missed ON worker_upgrades USING btree (org_id, worker_id) WHERE missed;
CREATE UNIQUE INDEX worker_upgrades_open ON worker_upgrades USING btree (worker_id) WHERE (ended_at IS NULL);
CREATE INDEX worker_upgrades_page ON worker_upgrades USING btree (org_id, id DESC);
CREATE INDEX worker_upgrades_rollout ON worker_upgrades USING btree (rollout_id, worker_id, id DESC);
CREATE INDEX worker_upgrades_worker ON worker_upgrades USING btree (worker_id, id DESC);

create table workers (
  id text collate "C" not null,
  org_id text collate "C" not null,
  member_id text collate "C",
  name text not null,
  kind text not null,
  labels text[] not null default '{}'::text[],
  template_ids text[] not null default '{}'::text[],
  connection_ids text[] not null default '{}'::text[],
  runner_permissions text[] not null,
  instance_id text,
  registration_token_id text collate "C",
  paused_at timestamptz,
  paused_until timestamptz,
  pause_note text,
  drain_requested_at timestamptz,
  desired_version text,
  configuration jsonb,
  configuration_revision integer not null default 0,
  upgrade_id text collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  mcp_connection_ids text[] not null default '{}'::text[],
  constraint workers_pkey PRIMARY KEY (id),
  constraint workers_kind_check CHECK ((kind = ANY (ARRAY['local'::text, 'remote'::text, 'ephemeral'::text]))),
  constraint workers_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE SET NULL,
  constraint workers_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint workers_registration_token_id_fkey FOREIGN KEY (registration_token_id) REFERENCES worker_registration_tokens(id) ON DELETE SET NULL
);
CREATE UNIQUE INDEX workers_instance ON workers USING btree (org_id, instance_id) WHERE (instance_id IS NOT NULL);
CREATE INDEX workers_member ON workers USING btree (member_id);
CREATE UNIQUE INDEX workers_name ON workers USING btree (org_id, lower(name));
CREATE INDEX workers_page ON workers USING btree (org_id, id DESC);
CREATE INDEX workers_registration ON workers USING btree (registration_token_id);

CREATE OR REPLACE FUNCTION add_partition(parent text, week timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SET lock_timeout TO '2s'
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  name text := parent || to_char(week, '_YYYYMMDD');
  ends_at timestamptz := week + interval '7 days';
  -- A partition of an earlier version can end within the week.
  starts_at timestamptz := greatest(week, (select max(p.ends_at) from list_partitions(parent) p
    where p.ends_at > week and coalesce(p.starts_at, '-infinity') < week + interval '7 days'));
begin
  if to_regclass(name) is not null or starts_at >= ends_at then return false; end if;
  execute format('create table %I (like %I including defaults including constraints including storage including compression)',
    name, parent);
  -- A push of a usual size, compressed, stays in the row. A partitioned table has no such option.
  if parent = 'webhook_deliveries' then execute format('alter table %I set (toast_tuple_target = 8160)', name); end if;
  execute format('alter table %I attach partition %I for values from (%s) to (%s)',
    parent, name, partition_bound(parent, starts_at), partition_bound(parent, ends_at));
  return true;
exception when lock_not_available or check_violation or invalid_object_definition then return false;
end $function$;

CREATE OR REPLACE FUNCTION audit_chains_remove_entries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  chain record;
begin
  for chain in select scope from gone
    where org_id is null or exists (select from organizations o where o.id = gone.org_id)
  loop
    delete from audit_events where scope = chain.scope;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION audit_events_stay()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin
  if tg_op = 'DELETE' and (pg_trigger_depth() > 1 or current_setting('signalbox.audit_prune', true) = 'on') then
    return old;
  end if;
  raise exception 'Audit entries are not changed or removed.';
end $function$;

CREATE OR REPLACE FUNCTION audit_events_stay_all()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin
  raise exception 'Audit entries are not changed or removed.';
end $function$;

CREATE OR REPLACE FUNCTION automation_runs_leave_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin
  insert into automation_event_leftovers (run_no, org_id) select no, org_id from gone
  on conflict (run_no) do update set due_at = now();
  return null;
end $function$;

CREATE OR REPLACE FUNCTION connectors_leave_rows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  connector record;
begin
  insert into connector_leftovers (connector_id, org_id)
  select id, org_id from gone where exists (select from organizations o where o.id = gone.org_id)
  on conflict (connector_id) do update set deleted_at = now();
  for connector in select id, org_id from gone loop
    -- The partial index of live syncs is by organization.
    delete from connector_syncs
    where org_id = connector.org_id and connector_id = connector.id and status in ('queued', 'running');
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION drop_partition(name text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET lock_timeout TO '2s'
AS $function$
begin
  execute format('drop table %I', name);
  return true;
exception when lock_not_available then return false;
end $function$;

CREATE OR REPLACE FUNCTION first_day_of_week(at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select date_trunc('week', at, 'UTC')
$function$;

CREATE OR REPLACE FUNCTION id_digits_at(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
    ((floor(extract(epoch from at) * 1000)::bigint >> (5 * n)) & 31)::int + 1, 1), '' order by n desc)
  from generate_series(0, 9) n
$function$;

CREATE OR REPLACE FUNCTION keep_first_account()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin
  insert into first_account (user_id) values (new.id) on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_template_search()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into template_search (org_id, template_id, text, tags)
  values (new.org_id, new.id,
    lower(new.name || ' ' || new.slug || ' ' || new.description || ' ' || array_to_string(new.tags, ' ')), new.tags)
  on conflict (org_id, template_id) do update set text = excluded.text, tags = excluded.tags;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION list_partitions(parent text)
 RETURNS TABLE(name text, starts_at timestamp with time zone, ends_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  select c.relname::text, case when b.bounds[1] <> 'MINVALUE' then partition_time(parent, b.bounds[1]) end,
    partition_time(parent, b.bounds[2])
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  cross join lateral (select regexp_match(pg_get_expr(c.relpartbound, c.oid),
    'FROM \(''?(\w+)''?\) TO \(''?(\w+)''?\)') as bounds) b
  where i.inhparent = to_regclass(parent) and b.bounds is not null
  order by 3
$function$;

CREATE OR REPLACE FUNCTION llm_spend_follow()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into llm_spend as s (org_id, subject_id, day, cost_micros)
  values (new.org_id, new.org_id, new.month,
    new.cost_micros - case when tg_op = 'UPDATE' then old.cost_micros else 0 end)
  on conflict (org_id, subject_id, day) do update set cost_micros = s.cost_micros + excluded.cost_micros;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION members_remove_attempts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  organization record;
begin
  -- One organization after the other, so that the index is used whatever the planner expects.
  for organization in select org_id as id, array_agg(id) as member_ids from gone group by org_id loop
    delete from oauth_attempts where org_id = organization.id and member_id = any(organization.member_ids);
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION next_run_number()
 RETURNS bigint
 LANGUAGE sql
AS $function$
  select run_number_at(now()) | (nextval('automation_run_numbers') & 4194303)
$function$;

CREATE OR REPLACE FUNCTION oauth_connections_remove_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  connection record;
begin
  -- One by one, so that the index is used whatever the planner expects.
  for connection in
    select id, org_id, exists (select from organizations o where o.id = gone.org_id) as has_organization from gone
  loop
    if connection.has_organization then
      delete from oauth_connection_events where connection_id = connection.id;
    else
      insert into oauth_event_leftovers (org_id, connection_id) values (connection.org_id, connection.id);
    end if;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION oauth_member_left()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update oauth_connections set status = 'ended', reason = 'member_removed', ended_at = now()
  where member_id = old.id and status <> 'ended';
  return old;
end $function$;

CREATE OR REPLACE FUNCTION oauth_token_left()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update oauth_tokens set revoke_state = 'pending', revoke_due_at = now()
  where id = old.token_id and revoke_state is null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION organizations_leave_rows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin
  insert into organization_leftovers (org_id) select id from gone on conflict (org_id) do update set deleted_at = now();
  delete from automation_runs where org_id in (select id from gone) and status in ('queued', 'running');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION partition_bound(parent text, week timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select case parent
    when 'automation_events' then run_number_at(week)::text
    when 'webhook_deliveries' then quote_literal('whd_' || id_digits_at(week)) end
$function$;

CREATE OR REPLACE FUNCTION partition_time(parent text, bound text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select case parent
    when 'automation_events' then to_timestamp((bound::bigint >> 22) + 1767225600)
    when 'webhook_deliveries' then to_timestamp((
      select sum((strpos('0123456789abcdefghjkmnpqrstvwxyz', digit) - 1) * 32::numeric ^ (10 - place))
      from regexp_split_to_table(substr(bound, 5, 10), '') with ordinality t (digit, place)) / 1000) end
$function$;

CREATE OR REPLACE FUNCTION reopen_usage_day()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin
  insert into usage_reopened_days as r (day, org_id) values ((new.reported_at at time zone 'UTC')::date, new.org_id)
  on conflict (day, org_id) do update set day = excluded.day where false;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION run_number_at(at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select (floor(extract(epoch from at))::bigint - 1767225600) << 22
$function$;

CREATE OR REPLACE FUNCTION scim_users_write_emails()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin
  delete from scim_user_emails where user_id = new.id;
  insert into scim_user_emails (user_id, email_key, connector_id, org_id)
  select distinct new.id, e ->> 'value', new.connector_id, new.org_id
  from jsonb_array_elements(coalesce(new.search -> 'emails', '[]')) e where length(e ->> 'value') <= 320;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION webhook_deliveries_remove_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin
  delete from webhook_delivery_keys k using gone where k.scope = gone.scope and k.delivery_id = gone.delivery_id
    and k.id = gone.id;
  delete from webhook_delivery_targets t using gone where t.delivery = gone.id;
  return null;
end $function$;
