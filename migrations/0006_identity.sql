-- Who belongs to an organization and how they came in: roles that teams and invitations lean on, tokens for
-- MCP, the second factor, workspaces that nobody has claimed yet. New tables, new columns without a
-- rewrite, small indexes: safe while serving.

-- When this session last proved who it is without signing in anew; null: at its beginning.
alter table sessions add column reauthenticated_at timestamptz;
-- An organization that goes takes its sessions' choice along, without reading every session there is.
create index sessions_organization on sessions (active_organization_id) where active_organization_id is not null;
create index audit_chains_organization on audit_chains (org_id) where org_id is not null;

-- A workspace that an agent made for itself. null: somebody owns it; else it goes at that moment.
alter table organizations add column provisional_until timestamptz;
create index organizations_provisional on organizations (provisional_until) where provisional_until is not null;
-- The member of such a workspace is nobody, and cannot sign in.
alter table users add column provisional boolean not null default false;

alter table roles add column description text not null default '';
create unique index roles_name on roles (org_id, lower(name));
-- Who has a role: how many owners are left, who uses a role that should go.
create index members_role on members (org_id, role, id desc);

-- A key that was rotated works on for a while; which one took its place.
alter table api_keys add column replaced_by text collate "C";

create table teams (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  name text not null,
  description text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index teams_page on teams (org_id, id desc);
create unique index teams_name on teams (org_id, lower(name));

create table team_members (
  team_id text not null collate "C" references teams on delete cascade,
  member_id text not null collate "C" references members on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  created_at timestamptz not null default now(),
  primary key (team_id, member_id)
);
create index team_members_member on team_members (member_id);
create index team_members_org on team_members (org_id);

create table invitations (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  -- In lower case.
  email text not null,
  role text not null,
  team_ids text[] not null default '{}',
  -- Two ways to the same invitation: what the inviter was shown, and what only the mailbox was. Who comes
  -- by the second has proved the address.
  token_hash text not null unique,
  mail_hash text not null unique,
  -- Who answers for it: the inviter, or whoever sent it again. Gone, it cannot be accepted any more.
  invited_by text collate "C" references members on delete set null,
  inviter_name text not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz not null default now(),
  sent_at timestamptz not null default now()
);
create index invitations_page on invitations (org_id, id desc);
create index invitations_inviter on invitations (invited_by);
-- One open invitation per address.
create unique index invitations_open on invitations (org_id, email)
  where accepted_at is null and cancelled_at is null;

create table mcp_tokens (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  member_id text not null collate "C" references members on delete cascade,
  name text not null,
  start text not null,
  token_hash text not null unique,
  scopes text[] not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create index mcp_tokens_page on mcp_tokens (org_id, id desc);
create index mcp_tokens_member_page on mcp_tokens (member_id, id desc);
create index mcp_tokens_expiry on mcp_tokens (expires_at);

-- The second factor: a shared secret (sealed), and codes for the day the device is lost.
create table two_factors (
  user_id text collate "C" primary key references users on delete cascade,
  secret text not null,
  -- null: the person has not shown yet that their device knows it.
  confirmed_at timestamptz,
  -- The newest half-minute a code was taken for: none is taken twice.
  last_step bigint not null default 0,
  created_at timestamptz not null default now()
);
create table backup_codes (
  user_id text not null collate "C" references two_factors on delete cascade,
  code_hash text not null,
  primary key (user_id, code_hash)
);
-- The password was right, the code is still to come.
create table sign_in_challenges (
  token_hash text primary key,
  user_id text not null collate "C" references users on delete cascade,
  attempts int not null default 0,
  expires_at timestamptz not null
);
create index sign_in_challenges_user on sign_in_challenges (user_id);
create index sign_in_challenges_expiry on sign_in_challenges (expires_at);

-- Whoever opens this link becomes the owner of a provisional workspace.
create table claim_links (
  token_hash text primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index claim_links_org on claim_links (org_id);

-- An organization goes with the request that says so, and its runs may be a million: they stay behind, where
-- nobody reaches them, and are removed in small steps. Only what waits or is under way goes along, so that
-- nobody works on it; it is little.
alter table automation_runs drop constraint automation_runs_org_id_fkey;
alter table automation_runs drop constraint automation_runs_automation_id_fkey;
alter table automation_usage drop constraint automation_usage_org_id_fkey;
create table automation_org_leftovers (org_id text collate "C" primary key);
create function organizations_leave_runs() returns trigger language plpgsql as $$ begin
  insert into automation_org_leftovers (org_id) select id from gone on conflict do nothing;
  delete from automation_runs where org_id in (select id from gone) and status in ('queued', 'running');
  return null;
end $$;
create trigger organizations_gone after delete on organizations
  referencing old table as gone for each statement execute function organizations_leave_runs();
