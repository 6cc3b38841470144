-- Figures of the overview, verdicts of discoveries, and links that share a verdict.
-- While serving: two tables are new. The indexes block reports of runs while they are built, about a second per million
-- rows each.

-- Runs by day are counted from the index alone. Its columns change only together with the status, which other indexes
-- contain too, so heartbeats still write no index.
create index automation_runs_figures on automation_runs (org_id, created_at)
  include (status, reason, member_id, started_at, finished_at);

-- The same for costs. It replaces an index of the same two columns.
create index automation_usage_figures on automation_usage (org_id, reported_at)
  include (member_id, cost_micros);
drop index automation_usage_time;
-- Few reports have no price. The runs that they belong to are counted once.
create index automation_usage_unpriced on automation_usage (org_id, reported_at)
  include (run_id, member_id) where cost_source = 'unpriced';

-- What discoveries found out. Nothing in a row is a secret: URLs are kept as they are shown.
create table mcp_discoveries (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  member_id text collate "C" references members on delete set null,
  url text not null,
  status text not null check (status in ('ready', 'manual_action_required', 'unsupported', 'unreachable')),
  result jsonb not null,
  evidence jsonb not null,
  duration_ms int not null,
  created_at timestamptz not null default now()
);
create index mcp_discoveries_page on mcp_discoveries (org_id, id desc);
create index mcp_discoveries_member on mcp_discoveries (member_id);
create index mcp_discoveries_age on mcp_discoveries (created_at);

-- Whoever has the token of a link can read one verdict until the link expires or is removed.
create table mcp_discovery_shares (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  discovery_id text not null collate "C" references mcp_discoveries on delete cascade,
  token_hash text not null unique,
  created_by text collate "C" references members on delete set null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index mcp_discovery_shares_page on mcp_discovery_shares (discovery_id, id desc);
create index mcp_discovery_shares_org on mcp_discovery_shares (org_id);
create index mcp_discovery_shares_creator on mcp_discovery_shares (created_by);
create index mcp_discovery_shares_expiry on mcp_discovery_shares (expires_at);

-- What needs care is found without a scan: repeated deliveries with another body, accounts to reconnect, keys that expire.
create index webhook_deliveries_altered on webhook_deliveries (coalesce(target_org_id, org_id), altered_at)
  where altered_at is not null;
create index oauth_connections_reconnect on oauth_connections (org_id) where status = 'needs_reconnect';
create index oauth_tokens_uncertain on oauth_tokens (org_id) where refresh_state = 'uncertain';
create index oauth_tokens_ending on oauth_tokens (org_id, expires_at)
  where refresh_token is null and expires_at is not null and revoke_state is null;
create index api_keys_expiry on api_keys (org_id, expires_at) where expires_at is not null;
