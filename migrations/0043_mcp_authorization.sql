-- The instance as the authorization server of its own MCP endpoint: clients, what members allowed them, and the state
-- of the authorization server. While serving: safe, all tables are new.

-- A client that registered itself, or the last copy of a client's metadata document. Nothing in it is secret: all
-- clients are public clients. Clients belong to nobody until a member connects one.
create table mcp_oauth_clients (
  -- `mcr_…` for a registered client, the URL of the document for the others.
  id text collate "C" primary key,
  registration text not null check (registration in ('client_metadata', 'dynamic')),
  metadata jsonb not null,
  -- A metadata document is read again after this time.
  fresh_until timestamptz,
  -- Clients that no member connected are deleted a day after their last use.
  last_used_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index mcp_oauth_clients_use on mcp_oauth_clients (last_used_at);

-- A client that a member connected in an organization.
create table mcp_client_grants (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  member_id text not null collate "C" references members on delete cascade,
  -- Without a reference: the grant shows its client also after the client's row was deleted.
  client_id text not null collate "C",
  client_name text not null,
  registration text not null check (registration in ('client_metadata', 'dynamic')),
  redirect_host text not null,
  scopes text[] not null,
  -- The end of its last token. Until the first token, the end of the code.
  expires_at timestamptz not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create index mcp_client_grants_page on mcp_client_grants (org_id, id desc);
create index mcp_client_grants_member on mcp_client_grants (member_id, id desc);
create index mcp_client_grants_client on mcp_client_grants (client_id);
create index mcp_client_grants_expiry on mcp_client_grants (expires_at);

-- What the authorization server keeps: sign-ins in progress, grants, codes and tokens. The id of a row is the SHA-256 of
-- the code or token, and its content is sealed. All rows of a grant are deleted with the grant.
create table mcp_authorization_records (
  id text collate "C" primary key,
  kind text not null check (kind in ('interaction', 'grant', 'code', 'access_token', 'refresh_token')),
  -- Null while a sign-in is in progress: nobody has decided yet for which organization.
  org_id text collate "C" references organizations on delete cascade,
  grant_id text collate "C" references mcp_client_grants on delete cascade,
  payload text not null,
  -- The scopes of an access token.
  scopes text[],
  -- A code or refresh token that was used. It is kept, because a second use ends the grant.
  consumed_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  check ((kind = 'interaction') = (grant_id is null) and (grant_id is null) = (org_id is null))
);
create index mcp_authorization_records_grant on mcp_authorization_records (grant_id) where grant_id is not null;
create index mcp_authorization_records_org on mcp_authorization_records (org_id) where org_id is not null;
create index mcp_authorization_records_expiry on mcp_authorization_records (expires_at);
