-- Differences of tools that only the accounts of single members list, and MCP connections of worker registration tokens.
-- While serving: safe. The table is new, the column has a constant default, and few connections have changed tools.

-- Runs on workers that register with the token can use only these connections. Empty: no limit.
alter table worker_registration_tokens add column mcp_connection_ids text[] not null default '{}';

-- The resource that tokens of an MCP connection are requested for, sealed, when its address contains a secret. It was
-- stored with the server, in the clear.
alter table oauth_client_credentials add column resource text;

-- What the account of one member lists differently from the approved tools. With an account per member, a difference
-- holds tools only for the members whose accounts list it. The row with the empty name is the server's instructions.
create table mcp_account_tools (
  connection_id text not null collate "C" references mcp_connections on delete cascade,
  member_id text not null collate "C" references members on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  name text not null collate "C",
  latest jsonb not null,
  latest_hash text not null,
  drift text[] not null,
  renamed_from text,
  changed_at timestamptz not null default now(),
  primary key (connection_id, member_id, name)
);
create index mcp_account_tools_org on mcp_account_tools (org_id);
create index mcp_account_tools_member on mcp_account_tools (member_id);

-- Of connections with an account per member, the common copy keeps what is approved. Accounts are listed again.
delete from mcp_tools t using mcp_connections c
where c.id = t.connection_id and c.credential = 'per_member' and c.registration <> 'none' and t.approved is null;
update mcp_tools t set latest = t.approved, latest_hash = t.approved_hash, drift = '{}', renamed_from = null
from mcp_connections c
where c.id = t.connection_id and c.credential = 'per_member' and c.registration <> 'none' and t.drift <> '{}';
update mcp_connections set held_tools = 0
where credential = 'per_member' and registration <> 'none' and held_tools > 0;
