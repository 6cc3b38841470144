-- The log of calls of tools, and the arguments and results that owners of connections ask to keep.
-- While serving: safe, both tables are new.

-- Without foreign keys: an organization can have millions of rows, which a job deletes in batches. The log of a deleted
-- connection or member stays until its retention ends.
create table mcp_calls (
  org_id text not null collate "C",
  id text not null collate "C",
  connection_id text not null collate "C",
  member_id text collate "C",
  -- The kind and the row of the credential that the caller used with us.
  credential text not null,
  credential_id text not null collate "C",
  -- What the MCP client calls itself.
  client text,
  tool text not null collate "C",
  outcome text not null check (outcome in ('ok', 'tool_error', 'refused', 'failed', 'cancelled', 'timed_out')),
  code text,
  ms int not null,
  request_bytes int not null,
  result_bytes int not null,
  run_id text collate "C",
  attempt int,
  created_at timestamptz not null,
  primary key (org_id, id)
);
-- With this collation no other index has the order of a filtered list; see ARCHITECTURE.md.
create index mcp_calls_connection on mcp_calls (org_id, connection_id, id collate "POSIX");
create index mcp_calls_member on mcp_calls (org_id, member_id, id collate "POSIX");
create index mcp_calls_tool on mcp_calls (org_id, tool, id collate "POSIX");
-- Most calls succeed, and the index of the whole list finds them.
create index mcp_calls_outcome on mcp_calls (org_id, outcome, id collate "POSIX") where outcome <> 'ok';
create index mcp_calls_run on mcp_calls (org_id, run_id, id collate "POSIX") where run_id is not null;

-- Sealed JSON of arguments and result. A table of its own, so that its shorter retention deletes rows and rewrites none.
create table mcp_call_payloads (
  org_id text not null collate "C",
  call_id text not null collate "C",
  payload text not null,
  expires_at timestamptz not null,
  primary key (org_id, call_id)
);
create index mcp_call_payloads_expiry on mcp_call_payloads (expires_at);
