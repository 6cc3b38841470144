-- Saved MCP connections, who may use them, their tools, and what members gave to reach them.
-- While serving: safe, all tables are new.

create table mcp_connections (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  name text not null,
  -- The prefix of its tools at /mcp. It never changes, because agents remember the names of tools.
  slug text not null collate "C",
  url text not null,
  credential text not null check (credential in ('shared', 'per_member')),
  registration text not null
    check (registration in ('none', 'client_metadata', 'dynamic', 'pre_registered', 'bearer')),
  -- The row of oauth_providers that belongs to this connection. Null when it needs no OAuth.
  provider_id text collate "C",
  authorization_server text,
  resource text,
  scopes text[] not null default '{}',
  enabled boolean not null default true,
  -- What discovery found out when the connection was saved or last discovered again, as it is shown.
  verdict jsonb not null,
  evidence jsonb not null,
  discovered_at timestamptz not null default now(),
  -- What changed in the verdict since a person accepted it. Null: nothing.
  verdict_drift jsonb,
  -- How the server answered last. The step, code and message belong to the failure.
  health text not null default 'unknown' check (health in ('unknown', 'ok', 'failing')),
  health_step text,
  health_code text,
  health_message text,
  health_since timestamptz,
  checked_at timestamptz,
  next_check_at timestamptz not null default now(),
  protocol_version text,
  -- {allow, deny, hide, onDrift, destructive} and {callsPerMinute, concurrency, timeoutSeconds, …}: what differs from
  -- the defaults.
  policy jsonb not null default '{}',
  limits jsonb not null default '{}',
  log_payloads boolean not null default false,
  payload_days int not null default 7,
  tool_count int not null default 0,
  held_tools int not null default 0,
  tools_at timestamptz,
  created_by text collate "C" references members on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, slug)
);
create index mcp_connections_page on mcp_connections (org_id, id desc);
create index mcp_connections_creator on mcp_connections (created_by);
create index mcp_connections_due on mcp_connections (next_check_at) where enabled;
create index mcp_connections_provider on mcp_connections (org_id, provider_id);

-- Who may use a connection. A run may use it when everybody may, or when its automation may.
create table mcp_connection_grants (
  connection_id text not null collate "C" references mcp_connections on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  subject_kind text not null check (subject_kind in ('organization', 'team', 'member', 'automation')),
  team_id text collate "C" references teams on delete cascade,
  member_id text collate "C" references members on delete cascade,
  automation_id text collate "C" references automations on delete cascade,
  subject_id text not null collate "C"
    generated always as (coalesce(team_id, member_id, automation_id, org_id)) stored,
  created_at timestamptz not null default now(),
  primary key (connection_id, subject_id),
  constraint mcp_connection_grants_subject check (
    (subject_kind = 'team') = (team_id is not null) and (subject_kind = 'member') = (member_id is not null)
    and (subject_kind = 'automation') = (automation_id is not null))
);
create index mcp_connection_grants_org on mcp_connection_grants (org_id);
create index mcp_connection_grants_team on mcp_connection_grants (team_id);
create index mcp_connection_grants_member on mcp_connection_grants (member_id);
create index mcp_connection_grants_automation on mcp_connection_grants (automation_id);

-- Bearer tokens and headers, sealed. The row without a member is the shared one.
create table mcp_credentials (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  connection_id text not null collate "C" references mcp_connections on delete cascade,
  member_id text collate "C" references members on delete cascade,
  secret text not null,
  updated_at timestamptz not null default now(),
  unique nulls not distinct (connection_id, member_id)
);
create index mcp_credentials_org on mcp_credentials (org_id);
create index mcp_credentials_member on mcp_credentials (member_id);

-- What the server answered to the credential of one member (or to the shared one): sign in again, or more consent.
create table mcp_member_states (
  connection_id text not null collate "C" references mcp_connections on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  member_id text collate "C" references members on delete cascade,
  state text not null check (state in ('sign_in', 'needs_consent')),
  missing_scopes text[] not null default '{}',
  reason text,
  since timestamptz not null default now(),
  unique nulls not distinct (connection_id, member_id)
);
create index mcp_member_states_org on mcp_member_states (org_id);
create index mcp_member_states_member on mcp_member_states (member_id);

-- Each tool twice: as a person approved it, and as the server describes it now. The row with the empty name is the
-- server's instructions.
create table mcp_tools (
  connection_id text not null collate "C" references mcp_connections on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  name text not null collate "C",
  approved jsonb,
  approved_hash text,
  approved_by text collate "C" references members on delete set null,
  approved_at timestamptz,
  latest jsonb,
  latest_hash text,
  -- The kinds of change between the two, worst first. Empty: none.
  drift text[] not null default '{}',
  renamed_from text,
  first_seen_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (connection_id, name)
);
create index mcp_tools_org on mcp_tools (org_id);
create index mcp_tools_approver on mcp_tools (approved_by);
create index mcp_tools_drift on mcp_tools (connection_id, changed_at desc) where drift <> '{}';
