-- One row for each secret that may have sealed values here, sealed with that secret. A start whose secrets do not open
-- every row is refused, so that nothing is sealed or lost under a wrong one. Safe while serving: a new, empty table.
create table secret_canaries (
  key_id text collate "C" primary key,
  sealed text not null,
  created_at timestamptz not null default now()
);

-- Deliveries of code hosts that were refused because of their signature, for whoever sets the connector up: the last 50
-- of each connector, without their bodies. Safe while serving: a new, empty table.
create table refused_deliveries (
  id text collate "C" primary key,
  org_id text collate "C" not null references organizations on delete cascade,
  connector_id text collate "C" not null references connectors on delete cascade,
  address text not null,
  dialect text,
  reason text not null,
  refused_at timestamptz not null
);
create index refused_deliveries_connector on refused_deliveries (connector_id, id);
create index refused_deliveries_organization on refused_deliveries (org_id);
