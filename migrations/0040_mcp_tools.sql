-- The baseline and the watch of the tools of MCP connections, and approvals of single calls.
-- While serving: safe. The columns have constant defaults or none, and the table is new.

alter table mcp_connections
  -- When the first tools were listed. They are approved with the connection; later ones are compared with them.
  add column baseline_at timestamptz,
  -- Tools of the server that are not kept, because there are too many or they are too large.
  add column omitted_tools int not null default 0,
  -- Failed checks in a row, for the pause before the next one.
  add column check_failures int not null default 0;

-- When a listing last had the tool, to the day. Accounts of one server can have different tools, so a tool of a
-- connection with an account per member is gone only when no account has listed it for a while.
alter table mcp_tools add column seen_at timestamptz not null default now();

-- The overview looks for these.
create index mcp_connections_care on mcp_connections (org_id, id desc)
  where enabled and (held_tools > 0 or health = 'failing');

-- Calls of destructive tools that a person decides about. An approval is for one call: of one member or run, of one
-- definition of a tool, with the same arguments.
create table mcp_approvals (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  connection_id text not null collate "C" references mcp_connections on delete cascade,
  member_id text collate "C" references members on delete set null,
  run_id text collate "C",
  tool text not null collate "C",
  tool_hash text not null,
  arguments_hash text not null,
  -- Sealed. Null when they are too large to be shown.
  arguments text,
  argument_bytes int not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'used', 'expired')),
  note text,
  decided_by text collate "C" references members on delete set null,
  decided_at timestamptz,
  -- Until when it can be decided; then until when the decision applies.
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index mcp_approvals_page on mcp_approvals (org_id, id desc);
create index mcp_approvals_connection on mcp_approvals (connection_id);
create index mcp_approvals_member on mcp_approvals (member_id);
create index mcp_approvals_decider on mcp_approvals (decided_by);
-- One open request per call, however often an agent repeats it.
create unique index mcp_approvals_open on mcp_approvals
  (connection_id, member_id, run_id, tool, tool_hash, arguments_hash) nulls not distinct
  where status in ('pending', 'approved');
create index mcp_approvals_expiry on mcp_approvals (expires_at) where status in ('pending', 'approved');
