-- Accounts at outside providers: the organization's OAuth clients, the way to a connection, the tokens and
-- what became of them. New tables, and one trigger on members: safe while serving.
--
-- What is needed to revoke a token at its provider outlives the rows that it belonged to: tokens and client
-- credentials name their organization without depending on it, and go when the provider has been told, or
-- after a day of trying.

-- Providers that an organization added; the well-known ones are part of the program.
create table oauth_providers (
  org_id text not null collate "C" references organizations on delete cascade,
  id text not null collate "C",
  name text not null,
  -- Discovery: the rest is learned from it. null: the endpoints were given.
  issuer text,
  -- What is known of its endpoints and habits.
  server jsonb,
  discovered_at timestamptz,
  scopes text[] not null default '{}',
  created_by text not null collate "C",
  created_at timestamptz not null default now(),
  primary key (org_id, id)
);

-- Who we are at a provider. Kept until the last token that was got with it is gone.
create table oauth_client_credentials (
  id text collate "C" primary key,
  org_id text not null collate "C",
  provider_id text not null collate "C",
  client_id text not null,
  auth_method text not null
    check (auth_method in ('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none')),
  -- Sealed, both.
  secret text,
  private_key text,
  key_id text,
  tenant text,
  -- Of a provider that is not one of the program's: where to go when its own row is gone.
  server jsonb,
  created_at timestamptz not null default now()
);

create table oauth_clients (
  org_id text not null collate "C" references organizations on delete cascade,
  provider_id text not null collate "C",
  credentials_id text not null collate "C" references oauth_client_credentials,
  -- Counts up with each change of the credentials: who started with an older one starts again.
  generation int not null default 1,
  scopes text[] not null,
  optional_scopes text[] not null,
  connection_mode text not null check (connection_mode in ('personal', 'organization')),
  updated_by text not null collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, provider_id)
);
create index oauth_clients_credentials on oauth_clients (credentials_id);

create table oauth_tokens (
  id text collate "C" primary key,
  org_id text not null collate "C",
  credentials_id text not null collate "C" references oauth_client_credentials,
  -- Sealed, both. null: erased.
  access_token text,
  refresh_token text,
  -- Which refresh token that is, without saying it.
  refresh_hash text,
  scopes text[] not null,
  obtained_at timestamptz not null default now(),
  -- null: it does not expire, as far as anybody said.
  expires_at timestamptz,
  last_used_at timestamptz not null default now(),
  -- 'refreshing' is committed before the provider is called. 'uncertain': whoever called never came back, so
  -- nobody knows whether that refresh token is spent, and it is not sent again.
  refresh_state text not null default 'idle' check (refresh_state in ('idle', 'refreshing', 'uncertain')),
  holder text,
  lease_expires_at timestamptz,
  consumed_hash text,
  failures int not null default 0,
  next_refresh_at timestamptz,
  last_error text,
  -- null: in use. 'unneeded': the provider had ended it, or a new one took its place.
  revoke_state text check (revoke_state in ('pending', 'revoked', 'not_offered', 'failed', 'unneeded')),
  revoke_attempts int not null default 0,
  revoke_due_at timestamptz,
  revoke_error text,
  revoked_at timestamptz,
  created_at timestamptz not null default now()
);
create index oauth_tokens_credentials on oauth_tokens (credentials_id);
create index oauth_tokens_expiry on oauth_tokens (expires_at)
  where refresh_token is not null and refresh_state = 'idle' and revoke_state is null;
create index oauth_tokens_refreshing on oauth_tokens (lease_expires_at) where refresh_state = 'refreshing';
create index oauth_tokens_revoke on oauth_tokens (revoke_due_at) where revoke_state = 'pending';
create index oauth_tokens_over on oauth_tokens (created_at) where revoke_state <> 'pending';

create table oauth_connections (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  provider_id text not null collate "C",
  -- true: the organization's, used by those who were given it. Then there is no member.
  shared boolean not null,
  member_id text collate "C" references members on delete set null,
  -- Of a shared one: every member may use it.
  everyone boolean not null default false,
  label text not null collate "C",
  token_id text not null collate "C" references oauth_tokens,
  account_subject text,
  account_name text,
  requested_scopes text[] not null,
  status text not null default 'connected' check (status in ('connected', 'needs_reconnect', 'ended')),
  reason text,
  connected_by text not null collate "C",
  connected_at timestamptz not null default now(),
  ended_by text collate "C",
  ended_at timestamptz,
  created_at timestamptz not null default now()
);
create index oauth_connections_page on oauth_connections (org_id, id desc);
create index oauth_connections_member on oauth_connections (member_id) where member_id is not null;
create index oauth_connections_live on oauth_connections (org_id, provider_id, member_id) where status <> 'ended';
create index oauth_connections_token on oauth_connections (token_id);
create index oauth_connections_ended on oauth_connections (ended_at) where status = 'ended';
create unique index oauth_connections_own on oauth_connections (org_id, provider_id, member_id, label)
  where status <> 'ended' and not shared;
create unique index oauth_connections_shared on oauth_connections (org_id, provider_id, label)
  where status <> 'ended' and shared;

-- Who may use a shared connection.
create table oauth_connection_grants (
  connection_id text not null collate "C" references oauth_connections on delete cascade,
  member_id text not null collate "C" references members on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  created_at timestamptz not null default now(),
  primary key (connection_id, member_id)
);
create index oauth_connection_grants_member on oauth_connection_grants (member_id);

-- A member on the way to a provider and back. Found by the hash of its state; good for ten minutes and once.
create table oauth_attempts (
  id text collate "C" primary key,
  state_hash text not null unique,
  org_id text not null collate "C" references organizations on delete cascade,
  member_id text not null collate "C" references members on delete cascade,
  provider_id text not null collate "C",
  credentials_id text not null collate "C" references oauth_client_credentials on delete cascade,
  generation int not null,
  shared boolean not null,
  label text not null collate "C",
  scopes text[] not null,
  return_to text,
  -- Sealed: the PKCE verifier and the nonce.
  secrets text not null,
  -- The credential that started it.
  credential text not null,
  credential_id text not null,
  status text not null default 'started'
    check (status in ('started', 'exchanging', 'waiting', 'connected', 'failed', 'superseded')),
  -- While it waits to be claimed: what the provider gave, and the code that the page showed.
  token_id text collate "C" references oauth_tokens,
  account_subject text,
  account_name text,
  code_hash text,
  wrong_codes int not null default 0,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index oauth_attempts_expiry on oauth_attempts (expires_at);
create index oauth_attempts_of on oauth_attempts (org_id, provider_id, member_id, id);
create index oauth_attempts_member on oauth_attempts (member_id);
create index oauth_attempts_credentials on oauth_attempts (credentials_id);

-- What happened to connections and clients, and who got a token. Only ever added to.
create table oauth_connection_events (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  provider_id text not null collate "C",
  connection_id text collate "C" references oauth_connections on delete cascade,
  type text not null,
  -- null: the service itself.
  member_id text collate "C",
  credential text,
  credential_id text collate "C",
  address text,
  user_agent text,
  detail jsonb not null default '{}',
  created_at timestamptz not null default now()
);
create index oauth_connection_events_connection on oauth_connection_events (connection_id, id desc);
create index oauth_connection_events_org on oauth_connection_events (org_id, id desc);
create index oauth_connection_events_age on oauth_connection_events (created_at);

-- A connection that ends, whoever ended it and however, leaves its token to be revoked.
create function oauth_token_left() returns trigger language plpgsql as $$
begin
  update oauth_tokens set revoke_state = 'pending', revoke_due_at = now()
  where id = old.token_id and revoke_state is null;
  return null;
end $$;
create trigger oauth_connections_end after update of status on oauth_connections
  for each row when (new.status = 'ended' and old.status <> 'ended') execute function oauth_token_left();
create trigger oauth_connections_gone after delete on oauth_connections
  for each row when (old.status <> 'ended') execute function oauth_token_left();
create trigger oauth_attempts_gone after delete on oauth_attempts
  for each row when (old.token_id is not null) execute function oauth_token_left();

-- The connection stays readable for admins when its member has gone.
create function oauth_member_left() returns trigger language plpgsql as $$
begin
  update oauth_connections set status = 'ended', reason = 'member_removed', ended_at = now()
  where member_id = old.id and status <> 'ended';
  return old;
end $$;
create trigger members_oauth_connections before delete on members
  for each row execute function oauth_member_left();
