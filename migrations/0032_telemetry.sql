-- Telemetry: events, spans, log records and metric points that agents and their libraries report, daily sums of them,
-- and the settings of each organization.
-- While serving: only new tables.

create table telemetry_settings (
  org_id text collate "C" primary key references organizations on delete cascade,
  enabled boolean not null default true,
  keeps_contents boolean not null default false,
  retention_days int not null default 90,
  -- Rows of earlier days were deleted. They are not accepted again, because their ids are not known any more.
  pruned_before date,
  updated_at timestamptz not null default now()
);

-- Without a foreign key: an organization can have millions of rows, which a job deletes in batches.
create table telemetry_events (
  org_id text not null collate "C",
  -- Contains the time of the event, so that rows sort by it.
  id text not null collate "C",
  signal text not null,
  -- The id that the sender gave, or that follows from what it sent.
  event_id text not null collate "C",
  -- Tells whether an event with a known id is the same event.
  digest bytea not null,
  at timestamptz not null,
  type text not null collate "C",
  source text not null,
  mapping_version int not null,
  member_id text collate "C",
  worker_id text collate "C",
  run_id text collate "C",
  automation_id text collate "C",
  provider text,
  model text collate "C",
  input_tokens bigint,
  output_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  cost_micros bigint,
  -- Where the cost comes from: reported, estimated, unpriced or none.
  pricing text not null,
  -- False when another event reports the same tokens.
  counts_usage boolean not null,
  duration_ms bigint,
  failed boolean not null,
  value numeric,
  tool_name text,
  agent_name text,
  conversation_id text,
  attributes jsonb,
  received_at timestamptz not null default now(),
  primary key (org_id, id)
);
create unique index telemetry_events_event on telemetry_events (org_id, event_id, signal);
-- With this collation no other index has the order of a filtered list; see ARCHITECTURE.md.
create index telemetry_events_member on telemetry_events (org_id, member_id, id collate "POSIX");
create index telemetry_events_run on telemetry_events (org_id, run_id, id collate "POSIX") where run_id is not null;

-- What each request added, until a job adds it to the daily sums. A request writes its own rows here, so requests never
-- wait for each other.
create table telemetry_additions (
  no bigint generated always as identity primary key,
  org_id text not null collate "C",
  day date not null,
  type text not null collate "C",
  member_id text not null collate "C",
  model text not null collate "C",
  worker_id text not null collate "C",
  automation_id text not null collate "C",
  events bigint not null,
  failures bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  cost_micros bigint not null,
  priced_events bigint not null,
  unpriced_events bigint not null,
  duration_ms bigint not null,
  timed_events bigint not null,
  value numeric not null
);
create index telemetry_additions_org on telemetry_additions (org_id, day);

-- The empty text stands for "none", because a primary key has no nulls.
create table telemetry_days (
  org_id text not null collate "C" references organizations on delete cascade,
  day date not null,
  type text not null collate "C",
  member_id text not null collate "C",
  model text not null collate "C",
  worker_id text not null collate "C",
  automation_id text not null collate "C",
  events bigint not null,
  failures bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  cost_micros bigint not null,
  priced_events bigint not null,
  unpriced_events bigint not null,
  duration_ms bigint not null,
  timed_events bigint not null,
  value numeric not null,
  primary key (org_id, day, type, member_id, model, worker_id, automation_id)
);

-- The types, models and tools of a day. There is a limit for each, because every name adds rows to the daily sums.
create table telemetry_names (
  org_id text not null collate "C" references organizations on delete cascade,
  day date not null,
  kind text not null collate "C",
  name text not null collate "C",
  primary key (org_id, day, kind, name)
);

-- Points of cumulative metrics, whose differences are events. Times are nanoseconds since 1970.
create table telemetry_points (
  org_id text not null collate "C" references organizations on delete cascade,
  series bytea not null,
  started_nanos bigint not null,
  nanos bigint not null,
  value numeric not null,
  primary key (org_id, series, started_nanos, nanos)
);
