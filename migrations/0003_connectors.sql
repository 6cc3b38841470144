-- Repositories that an organization's templates follow: connectors, the hooks that tell of a change, the
-- work that follows from them, and the templates themselves. New tables only: safe while serving.

-- What agents are given to work with. By hand, or made equal to a folder of a repository.
create table templates (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  -- What a person or a program calls it by; one of each in an organization.
  slug text not null collate "C",
  name text not null,
  description text not null default '',
  tags text[] not null default '{}',
  body text not null,
  -- Anything else that stood in the front matter.
  metadata jsonb not null default '{}',
  -- Counts up with each change; what it said before is in template_versions.
  version int not null,
  -- Everything above, as one hash: an unchanged file writes nothing.
  digest text not null,
  -- null: made by hand. Otherwise read-only here, and where it came from.
  connector_id text collate "C",
  path text collate "C",
  -- The file as it was read: a sync that finds it again need not fetch it.
  source text,
  commit_sha text,
  commit_author text,
  created_by text collate "C",
  updated_by text collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Judged when a statement is over: two files may exchange their slugs in one push.
  unique (org_id, slug) deferrable initially immediate
);
create index templates_page on templates (org_id, id desc);
create unique index templates_path on templates (connector_id, path) where connector_id is not null;

-- Every text a template ever had. Not changed, only followed.
create table template_versions (
  template_id text not null collate "C" references templates on delete cascade,
  version int not null,
  org_id text not null collate "C" references organizations on delete cascade,
  slug text not null,
  name text not null,
  description text not null,
  tags text[] not null,
  body text not null,
  metadata jsonb not null,
  commit_sha text,
  commit_author text,
  -- The member; null: the sync.
  created_by text collate "C",
  created_at timestamptz not null default now(),
  primary key (template_id, version)
);

create table connectors (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  name text not null,
  codehost text not null check (codehost in ('github', 'gitlab', 'gitea', 'forgejo', 'bitbucket', 'git')),
  -- As people write it, and in lower case as it is compared.
  repository text not null,
  repository_key text not null collate "C",
  -- Of a code host that is not the public one of its kind; the clone URL follows from it unless given.
  base_url text,
  clone_url text not null,
  -- Full: refs/heads/main.
  ref text not null collate "C",
  -- Without slashes at its ends; empty: the whole repository.
  folder text not null default '',
  installation_id text collate "C",
  access_kind text not null check (access_kind in ('none', 'token', 'github_app')),
  -- The token or the application's private key, sealed; and what is not secret beside it.
  access_secret text,
  access_settings jsonb not null default '{}',
  -- 'disabled': by a person. 'disconnected': the code host said it is over; the reason says how.
  status text not null default 'active' check (status in ('active', 'disabled', 'disconnected')),
  status_reason text,
  -- What the templates are equal to now.
  synced_commit text,
  synced_at timestamptz,
  -- When the sweep last compared heads, and why it could not.
  checked_at timestamptz,
  check_error text,
  created_by text not null collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index connectors_page on connectors (org_id, id desc);
create index connectors_match on connectors (repository_key);
create index connectors_installation on connectors (installation_id) where installation_id is not null;
create index connectors_check on connectors (checked_at nulls first) where status = 'active';

alter table templates add foreign key (connector_id) references connectors on delete set null (connector_id);

-- The secrets that a connector's hooks are signed with: two while one is being replaced.
create table connector_secrets (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  connector_id text not null collate "C" references connectors on delete cascade,
  secret text not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create index connector_secrets_connector on connector_secrets (connector_id);

-- Sync work. The row is the job: it commits with the delivery that caused it, and a worker takes it from
-- here. One per target and head.
create table connector_syncs (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  connector_id text not null collate "C" references connectors on delete cascade,
  -- What was pushed; null: whatever the ref points to when the work is done.
  head text,
  cause text not null check (cause in ('push', 'created', 'changed', 'manual', 'sweep', 'event')),
  -- 'superseded': a newer head was there before its turn came.
  status text not null default 'queued'
    check (status in ('queued', 'running', 'succeeded', 'failed', 'superseded')),
  attempt int not null default 0,
  -- When it may be tried (again).
  due_at timestamptz not null default now(),
  -- A worker that died holds it no longer than this.
  lease_expires_at timestamptz,
  holder text,
  -- The commit that the templates were made equal to.
  commit_sha text,
  error_code text,
  error_message text,
  -- False: trying again by itself is of no use. It waits for a person.
  error_retryable boolean,
  added int, changed int, removed int, unchanged int,
  -- Files that are not templates: path, line, message. The first hundred.
  problems jsonb not null default '[]',
  problem_count int not null default 0,
  requested_by text collate "C",
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
);
create index connector_syncs_page on connector_syncs (org_id, id desc);
create index connector_syncs_connector on connector_syncs (connector_id, id desc);
create index connector_syncs_live on connector_syncs (due_at) where status in ('queued', 'running');
-- Two pushes of one head to one target are one job, also when they come at the same moment.
create unique index connector_syncs_head on connector_syncs (connector_id, head)
  where status in ('queued', 'running') and head is not null;
-- Never two at once for one connector, whatever a worker believes.
create unique index connector_syncs_running on connector_syncs (connector_id) where status = 'running';
create index connector_syncs_age on connector_syncs (finished_at) where finished_at is not null;

-- What code hosts sent. A row is written before the reply; the id is the code host's own, within the
-- scope of the secret that verified it ('instance', or a connector's id).
create table webhook_deliveries (
  id text collate "C" primary key,
  scope text not null collate "C",
  delivery_id text not null collate "C",
  -- Of the connector that the URL named; null for the instance's own: then its targets say who may see it.
  org_id text collate "C" references organizations on delete cascade,
  dialect text not null,
  event text not null,
  action text,
  repository text,
  ref text,
  head text,
  installation_id text,
  outcome text not null check (outcome in ('accepted', 'ignored', 'invalid')),
  reason text,
  headers jsonb not null,
  body bytea not null,
  body_digest bytea not null,
  -- How often it came again, and whether once with another body.
  repeats int not null default 0,
  altered_at timestamptz,
  last_received_at timestamptz not null default now(),
  received_at timestamptz not null default now(),
  unique (scope, delivery_id)
);
create index webhook_deliveries_org on webhook_deliveries (org_id, id desc) where org_id is not null;
do $$ begin
  alter table webhook_deliveries alter column body set compression lz4;
exception when feature_not_supported then null;
end $$;
-- A push of a usual size, compressed, stays in the row: kept beside it, it would cost two rows and an index more.
alter table webhook_deliveries set (toast_tuple_target = 8160);

-- Whom a delivery concerned, and the work it led to: null where there was nothing new to do. Written with every
-- delivery, so it refers to no more than it must: the organization goes with its connector, and work that is
-- gone is no longer found by its id.
create table webhook_delivery_targets (
  delivery text not null collate "C" references webhook_deliveries on delete cascade,
  connector_id text not null collate "C" references connectors on delete cascade,
  org_id text not null collate "C",
  sync_id text collate "C",
  primary key (delivery, connector_id)
);
create index webhook_delivery_targets_org on webhook_delivery_targets (org_id, delivery desc);
create index webhook_delivery_targets_connector on webhook_delivery_targets (connector_id, delivery desc);
