-- What every other room stands on: people and how they sign in, organizations and who belongs to them,
-- keys, and the platform's own bookkeeping. First migration: nothing is serving yet.
--
-- Ids are TypeIDs and sort by time under the C collation, whatever the database's own locale is.
-- Every table that belongs to an organization says so in org_id and goes with it.

create table users (
  id text collate "C" primary key,
  email text not null unique,
  email_verified boolean not null default false,
  name text not null,
  image text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table organizations (
  id text collate "C" primary key,
  name text not null,
  slug text not null unique,
  allowed_email_domains text[] not null default '{}',
  session_max_age_minutes int,
  require_sso boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- The token itself is never stored: who reads the table cannot sign in with it.
create table sessions (
  id text collate "C" primary key,
  user_id text not null collate "C" references users on delete cascade,
  token_hash text not null unique,
  signed_in_by text not null default 'password',
  active_organization_id text collate "C" references organizations on delete set null,
  ip_address text,
  user_agent text,
  expires_at timestamptz not null,
  last_used_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);

-- How a person proves who they are: for now the hash of a password.
create table accounts (
  id text collate "C" primary key,
  user_id text not null collate "C" references users on delete cascade,
  account_id text not null,
  provider_id text not null,
  password text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider_id, account_id)
);
create index accounts_user on accounts (user_id);

-- Links by mail: single use, short-lived, identifier hashed.
create table verifications (
  id text collate "C" primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index verifications_identifier on verifications (identifier);
create index verifications_expiry on verifications (expires_at);

-- Roles of an organization's own making; owner, admin and member are built in and have no row.
create table roles (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  name text not null,
  permissions text[] not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, name)
);

create table members (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  user_id text not null collate "C" references users on delete cascade,
  role text not null,
  created_at timestamptz not null default now(),
  unique (org_id, user_id)
);
create index members_user on members (user_id);
create index members_page on members (org_id, id desc);

create table api_keys (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  member_id text not null collate "C" references members on delete cascade,
  name text not null,
  -- The first letters, so that a person can tell their keys apart.
  start text not null,
  key_hash text not null unique,
  -- null: whatever the member may do.
  permissions text[],
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create index api_keys_page on api_keys (org_id, id desc);
create index api_keys_member_page on api_keys (member_id, id desc);

-- A reply is kept for a day under the caller's key; sealed, because it may hold a secret shown once.
create table idempotency_keys (
  scope text not null,
  key text not null,
  request_hash text not null,
  reply text,
  created_at timestamptz not null default now(),
  primary key (scope, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Counters that may be lost with the server: not worth their log.
create unlogged table rate_limits (
  key text primary key,
  count int not null,
  resets_at timestamptz not null
);

create table mails (
  id text collate "C" primary key,
  recipient text not null,
  subject text not null,
  text text,
  status text not null check (status in ('queued', 'kept', 'sent')),
  error text,
  created_at timestamptz not null default now()
);
