-- Notifications: what people and programs are told about, by mail and by outgoing webhook.
-- New tables, and one small partial index: safe while serving.

-- Facts, committed with what made them true. A job makes mails and deliveries of them.
create table notification_events (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  type text not null,
  -- The same fact announced twice is one event.
  key text not null collate "C",
  data jsonb not null,
  created_at timestamptz not null default now(),
  -- Null: nobody was told yet. Kept afterwards for as long as the key must be known.
  fanned_out_at timestamptz,
  -- A fan-out that fails is tried again later.
  failures int not null default 0,
  due_at timestamptz not null default now(),
  unique (org_id, key)
);
create index notification_events_waiting on notification_events (org_id, id) where fanned_out_at is null;

-- Who gets which mails. No row: the defaults of the product.
create table notification_settings (
  org_id text collate "C" primary key references organizations on delete cascade,
  settings jsonb not null,
  updated_at timestamptz not null default now()
);

-- A member's own choice. No row, or null for a type: as the organization has it.
create table member_notification_settings (
  member_id text collate "C" primary key references members on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  settings jsonb not null,
  updated_at timestamptz not null default now()
);
create index member_notification_settings_org on member_notification_settings (org_id);

-- Mails that collect: all about one topic for one member is one mail.
create table notification_digests (
  member_id text not null collate "C" references members on delete cascade,
  topic text not null collate "C",
  org_id text not null collate "C" references organizations on delete cascade,
  type text not null,
  -- How many wait, and the first of them.
  pending int not null default 0,
  items jsonb not null default '[]',
  opened_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  mailed_at timestamptz,
  primary key (member_id, topic)
);
create index notification_digests_org on notification_digests (org_id);
create index notification_digests_due on notification_digests (due_at) where pending > 0;
create index notification_digests_idle on notification_digests (mailed_at) where pending = 0;

create table webhook_endpoints (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  url text not null,
  description text not null default '',
  -- Empty: every type.
  types text[] not null default '{}',
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('member', 'failing', 'gone')),
  disabled_at timestamptz,
  -- Sealed, both. The previous one signs as well until it expires.
  secret text not null,
  previous_secret text,
  previous_secret_expires_at timestamptz,
  -- Since when every attempt failed, and how many did.
  failing_since timestamptz,
  failures int not null default 0,
  last_succeeded_at timestamptz,
  created_by text not null collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index webhook_endpoints_page on webhook_endpoints (org_id, id desc);

-- The rows are the queue, and afterwards the log.
create table webhook_endpoint_deliveries (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  endpoint_id text not null collate "C" references webhook_endpoints on delete cascade,
  -- What receivers know the message by: the same in every attempt.
  event_id text not null collate "C",
  type text not null,
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  -- All attempts, and those since it was last queued.
  attempt int not null default 0,
  tries int not null default 0,
  -- True from the moment it is taken until its outcome is recorded: whoever finds it true and due knows that the
  -- process before was lost.
  sending boolean not null default false,
  due_at timestamptz not null default now(),
  -- The last attempts, oldest first.
  attempts jsonb not null default '[]',
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (endpoint_id, event_id)
);
create index webhook_endpoint_deliveries_page on webhook_endpoint_deliveries (endpoint_id, id desc);
create index webhook_endpoint_deliveries_org on webhook_endpoint_deliveries (org_id);
create index webhook_endpoint_deliveries_due on webhook_endpoint_deliveries (due_at, org_id, endpoint_id)
  where status = 'pending';

-- Tokens that nobody can renew: when one expires, a person has to connect again and is told.
create index oauth_tokens_unrenewable on oauth_tokens (expires_at)
  where refresh_token is null and revoke_state is null and expires_at is not null;
