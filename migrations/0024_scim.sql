-- SCIM 2.0: a directory creates, changes, deactivates and removes the people of an organization, and its groups become
-- teams and roles.
-- While serving: only new tables.

-- An organization has one directory.
create table scim_connectors (
  id text collate "C" primary key,
  org_id text not null collate "C" unique references organizations on delete cascade,
  name text not null,
  default_role text not null,
  -- [{"group": …, "role": …, "teamId": …}], in the order of their precedence.
  group_mappings jsonb not null default '[]',
  disabled_at timestamptz,
  calls bigint not null default 0,
  errors bigint not null default 0,
  last_call_at timestamptz,
  last_error_at timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- After a rotation the previous token still works for a day, so that a directory can be changed without a gap.
create table scim_tokens (
  id text collate "C" primary key,
  connector_id text not null collate "C" references scim_connectors on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  start text not null,
  token_hash text not null unique,
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create index scim_tokens_connector on scim_tokens (connector_id, id desc);
create index scim_tokens_org on scim_tokens (org_id);

create table scim_users (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  connector_id text not null collate "C" references scim_connectors on delete cascade,
  user_name text not null,
  -- In lower case.
  user_name_key text not null collate "C",
  external_id text collate "C",
  active boolean not null,
  -- Null: the directory may not make this person a member, or the member was removed.
  member_id text collate "C" references members on delete set null,
  -- The attributes that are kept, as they were sent.
  resource jsonb not null,
  -- The attributes in the form that filters compare.
  search jsonb not null,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- Columns with many values are first: a connector can have most of the rows.
create unique index scim_users_name on scim_users (user_name_key, connector_id);
create unique index scim_users_member on scim_users (member_id) where member_id is not null;
create index scim_users_page on scim_users (connector_id, id);
create index scim_users_external on scim_users (external_id, connector_id);
-- Plans that were made while the table was empty may choose this index, so it finds one row too.
create index scim_users_org on scim_users (org_id, id);
-- Without `fastupdate`: the lookups of a first synchronization would read the list of pending entries each time.
create index scim_users_search on scim_users using gin (search jsonb_path_ops) with (fastupdate = off);

create table scim_groups (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  connector_id text not null collate "C" references scim_connectors on delete cascade,
  display_name text not null,
  display_name_key text not null collate "C",
  external_id text collate "C",
  resource jsonb not null,
  search jsonb not null,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index scim_groups_name on scim_groups (display_name_key, connector_id);
create index scim_groups_page on scim_groups (connector_id, id);
create index scim_groups_external on scim_groups (external_id, connector_id);
create index scim_groups_org on scim_groups (org_id, id);
create index scim_groups_search on scim_groups using gin (search jsonb_path_ops) with (fastupdate = off);

create table scim_group_members (
  group_id text not null collate "C" references scim_groups on delete cascade,
  user_id text not null collate "C" references scim_users on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  connector_id text not null collate "C" references scim_connectors on delete cascade,
  primary key (group_id, user_id)
);
create index scim_group_members_user on scim_group_members (user_id, group_id);
create index scim_group_members_org on scim_group_members (org_id, user_id, group_id);
create index scim_group_members_connector on scim_group_members (connector_id, group_id, user_id);

-- The last calls of a directory, for the people who set it up. No secrets and no bodies.
create table scim_calls (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  connector_id text not null collate "C" references scim_connectors on delete cascade,
  method text not null,
  path text not null,
  status int not null,
  error text,
  duration_ms int not null,
  request_id text not null,
  called_at timestamptz not null
);
create index scim_calls_page on scim_calls (connector_id, id desc);
create index scim_calls_org on scim_calls (org_id);
