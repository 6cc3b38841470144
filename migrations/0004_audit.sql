-- What was changed, by whom, how and from where. Each entry carries the hash of the one before, so that
-- one that was altered, removed or slipped in shows. New tables only: safe while serving.

-- One chain per organization, and one ('instance') for what belongs to none. The row is the chain's end;
-- whoever adds an entry locks it, so the order of the chain is the order of the commits.
create table audit_chains (
  scope text collate "C" primary key,
  org_id text collate "C" references organizations on delete cascade,
  seq bigint not null,
  previous bytea not null,
  hash bytea not null,
  -- Entries up to this one were removed when their time was over; this was the last one's hash.
  pruned_seq bigint not null default 0,
  pruned_hash bytea not null default decode(repeat('00', 32), 'hex'),
  retention_days int not null default 400
);

create table audit_events (
  scope text not null collate "C" references audit_chains on delete cascade,
  seq bigint not null,
  id text not null collate "C" unique,
  at timestamptz not null,
  action text not null collate "C",
  -- Not references: history outlives what it speaks of.
  actor_user_id text collate "C",
  actor_member_id text collate "C",
  actor_name text,
  -- 'system' when nobody called.
  credential text not null collate "C",
  credential_id text collate "C",
  address text,
  user_agent text,
  request_id text,
  target_type text not null collate "C",
  target_id text collate "C",
  -- As they were written: the hash is over these very texts.
  before json,
  after json,
  previous bytea not null,
  hash bytea not null,
  primary key (scope, seq)
);
create index audit_events_page on audit_events (scope, id desc);
create index audit_events_action on audit_events (scope, action, id desc);
create index audit_events_actor on audit_events (scope, actor_user_id, id desc);
create index audit_events_target on audit_events (scope, target_id, id desc);
create index audit_events_age on audit_events (scope, at);

-- Entries are added and nothing else. They go when their time is over, which sets this, and with their
-- organization, which comes here through a reference and therefore from within another trigger.
create function audit_events_stay() returns trigger language plpgsql as $$ begin
  if tg_op = 'DELETE' and (pg_trigger_depth() > 1 or current_setting('signalbox.audit_prune', true) = 'on') then
    return old;
  end if;
  raise exception 'Audit entries are not changed or removed.';
end $$;
create trigger audit_events_stay before update or delete on audit_events
  for each row execute function audit_events_stay();
create function audit_events_stay_all() returns trigger language plpgsql as $$ begin
  raise exception 'Audit entries are not changed or removed.';
end $$;
create trigger audit_events_stay_all before truncate on audit_events
  for each statement execute function audit_events_stay_all();
