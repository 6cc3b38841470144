-- Single sign-on: identity providers of an organization, who came through them, and which domains it has proved.
-- While serving: new tables, and columns that are null in every row. Indexes on existing tables are partial and empty.

create table sso_connectors (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  kind text not null check (kind in ('oidc', 'saml')),
  name text not null,
  enabled boolean not null default true,
  -- Addresses, identifiers and certificates of the provider, and the names of its claims. No secrets.
  settings jsonb not null,
  -- Sealed. The earlier secret still works until the given time, because providers change theirs at another moment.
  client_secret text,
  earlier_client_secret text,
  earlier_secret_until timestamptz,
  default_role text not null default 'member',
  group_mappings jsonb not null default '[]',
  -- False: only people who are members already may sign in.
  creates_members boolean not null default true,
  -- Who last walked a sign-in as themselves. A change of the connection empties both.
  tested_at timestamptz,
  tested_by text collate "C" references users on delete set null,
  last_sign_in_at timestamptz,
  last_error_at timestamptz,
  last_error_code text,
  last_error text,
  sign_ins bigint not null default 0,
  failures bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sso_connectors_org on sso_connectors (org_id, id desc);
create index sso_connectors_tester on sso_connectors (tested_by) where tested_by is not null;

-- A person at a provider, by the provider's own stable id.
create table sso_identities (
  id text collate "C" primary key,
  connector_id text not null collate "C" references sso_connectors on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  subject text not null collate "C",
  user_id text not null collate "C" references users on delete cascade,
  -- As the provider said at the last sign-in.
  email text,
  -- What the group mappings gave. Anything else of the member was given by people, and stays.
  mapped_role text,
  mapped_team_ids text[] not null default '{}',
  last_sign_in_at timestamptz,
  created_at timestamptz not null default now(),
  unique (connector_id, subject),
  unique (connector_id, user_id)
);
create index sso_identities_org on sso_identities (org_id, user_id);
create index sso_identities_user on sso_identities (user_id);

-- A sign-in that has begun. The state is used once, by the browser that began.
create table sso_attempts (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  connector_id text not null collate "C" references sso_connectors on delete cascade,
  purpose text not null check (purpose in ('sign_in', 'reauthenticate', 'test', 'link')),
  state_hash text not null unique,
  -- Null: a test that no browser has opened yet.
  browser_hash text,
  -- The id of the SAML request, which the response names.
  request_id text collate "C",
  -- Sealed: nonce, code verifier, return path, and the identity that waits.
  secrets text not null,
  -- The person who tests, or who signs in again.
  user_id text collate "C" references users on delete cascade,
  used_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index sso_attempts_org on sso_attempts (org_id);
create index sso_attempts_connector on sso_attempts (connector_id);
create index sso_attempts_user on sso_attempts (user_id) where user_id is not null;
create index sso_attempts_expiry on sso_attempts (expires_at);
create unique index sso_attempts_request on sso_attempts (connector_id, request_id) where request_id is not null;

-- Assertions that were accepted, until they have expired. One is accepted once.
create table sso_used_assertions (
  connector_id text not null collate "C" references sso_connectors on delete cascade,
  assertion_id text not null collate "C",
  org_id text not null collate "C" references organizations on delete cascade,
  expires_at timestamptz not null,
  primary key (connector_id, assertion_id)
);
create index sso_used_assertions_org on sso_used_assertions (org_id);
create index sso_used_assertions_expiry on sso_used_assertions (expires_at);

create table sso_domains (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  domain text not null collate "C",
  -- The value of the TXT record. It is public as soon as it is used.
  challenge text not null,
  verified_at timestamptz,
  checked_at timestamptz,
  -- Since when the record of a verified domain is missing.
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  unique (org_id, domain)
);
create unique index sso_domains_verified on sso_domains (domain) where verified_at is not null;
create index sso_domains_due on sso_domains (checked_at) where verified_at is not null;

-- The last calls of a connector, for the people who set it up. No secrets.
create table sso_events (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  connector_id text not null collate "C" references sso_connectors on delete cascade,
  purpose text not null,
  outcome text not null check (outcome in ('succeeded', 'refused')),
  code text not null,
  message text not null,
  subject text,
  email text,
  user_id text collate "C",
  address text,
  request_id text,
  created_at timestamptz not null default now()
);
create index sso_events_page on sso_events (connector_id, id desc);
create index sso_events_org on sso_events (org_id);

-- A session that an organization's provider vouched for acts in that organization only, and ends with the connector.
alter table sessions add column sso_org_id text collate "C" references organizations on delete cascade;
alter table sessions add column sso_connector_id text collate "C" references sso_connectors on delete cascade;
create index sessions_sso_org on sessions (sso_org_id) where sso_org_id is not null;
create index sessions_sso_connector on sessions (sso_connector_id) where sso_connector_id is not null;

-- The organization whose single sign-on made the account. Null: the person made it.
alter table users add column created_by_org_id text collate "C" references organizations on delete set null;
create index users_created_by on users (created_by_org_id) where created_by_org_id is not null;

-- While single sign-on is required: since when, and the owner who may still come in with password and second factor.
alter table organizations add column sso_required_at timestamptz;
alter table organizations add column break_glass_member_id text collate "C" references members on delete set null;
create index organizations_break_glass on organizations (break_glass_member_id) where break_glass_member_id is not null;

-- Nothing could require single sign-on before this, and nobody is named who could still come in.
update organizations set require_sso = false where require_sso;

-- Nobody ever came by single sign-on before this. A session without its organization must not look like one.
update sessions set signed_in_by = 'password' where signed_in_by = 'sso';
