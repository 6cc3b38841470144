-- Storage had no bound per organization. Limits have defaults in the program; an operator's exceptions for one
-- organization are here. Safe while serving: new tables, and columns with constant defaults, which rewrite nothing.
create table organization_quotas (
  org_id text not null collate "C" references organizations on delete cascade,
  quota text not null,
  max bigint not null check (max >= 0),
  updated_at timestamptz not null default now(),
  primary key (org_id, quota)
);

-- Bytes in use. Processes add what they wrote about once a second; a job measures exactly now and then.
create table organization_usage (
  org_id text not null collate "C" references organizations on delete cascade,
  quota text not null,
  used bigint not null,
  -- Null: never measured exactly.
  measured_at timestamptz,
  primary key (org_id, quota)
);
create index organization_usage_measured on organization_usage (measured_at nulls first);

-- Replies kept for Idempotency-Key, per day: `owner` is an organization or a credential.
create table idempotency_usage (
  owner text not null collate "C",
  day date not null,
  keys bigint not null,
  bytes bigint not null,
  primary key (owner, day)
);
create index idempotency_usage_day on idempotency_usage (day);

-- The body of a delivery from which nothing follows is not stored: then this is its size, and `body` is empty.
alter table webhook_deliveries add column dropped_body_bytes int;

-- The head came with the instance's secret, which says nothing about who may read the repository: it is shown once
-- the connector has read that commit itself.
alter table connector_syncs add column head_unproven boolean not null default false;

-- Asked for each delivery in a list: has this connector read that commit? While serving: syncs wait while it is made.
create index connector_syncs_read on connector_syncs (connector_id, commit_sha) where status = 'succeeded';

-- How many unclaimed workspaces one network has. Hashed: it is a person's address.
alter table organizations add column provisional_network text;
create index organizations_provisional_network on organizations (provisional_network)
  where provisional_until is not null;

-- A single report above this is stored, and its cost waits for an admin's decision.
alter table automation_settings add column report_cost_limit_micros bigint default 1000000000;
alter table automation_usage
  add column state text not null default 'counted' check (state in ('counted', 'held', 'corrected')),
  -- What was reported, where another figure counts.
  add column reported jsonb;
create index automation_usage_held on automation_usage (org_id, reported_at desc) where state = 'held';
