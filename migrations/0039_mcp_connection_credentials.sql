-- What saved MCP connections need to sign in: internal OAuth providers, clients registered by RFC 7591, addresses that
-- contain a secret, and a pause after a server refused a credential. Workers can be given MCP connections.
-- While serving: safe. The new columns have defaults that need no rewrite, and the other table is new.

-- The provider of an MCP connection. It is not listed, and only the connection uses it.
alter table oauth_providers add column mcp_connection_id text collate "C" references mcp_connections on delete cascade;
create index oauth_providers_mcp_connection on oauth_providers (mcp_connection_id);

-- The whole address, sealed, when `url` shows it without its secret parts.
alter table mcp_connections add column sealed_url text;

-- A refused credential is not sent again before this time.
alter table mcp_member_states add column next_try_at timestamptz not null default now();

alter table workers add column mcp_connection_ids text[] not null default '{}';

-- Clients that were registered at authorization servers. The row is written before the request, and removed after the
-- client is. It has no reference to the organization, because the client must be removed also after the organization.
create table mcp_registrations (
  id text collate "C" primary key,
  org_id text not null collate "C",
  connection_id text collate "C",
  registration_endpoint text not null,
  client_id text,
  -- Where RFC 7592 manages the client, and the sealed token for it. Null: not offered.
  management_url text,
  access_token text,
  state text not null default 'intended' check (state in ('intended', 'registered', 'kept', 'removing')),
  attempts int not null default 0,
  last_error text,
  due_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index mcp_registrations_due on mcp_registrations (due_at) where state <> 'kept';
create index mcp_registrations_connection on mcp_registrations (connection_id);
