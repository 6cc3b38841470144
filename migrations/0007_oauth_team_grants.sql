-- A shared connection may be given to a team; that counts for whoever is in it at the moment. A new table: safe
-- while serving.
create table oauth_connection_team_grants (
  connection_id text not null collate "C" references oauth_connections on delete cascade,
  team_id text not null collate "C" references teams on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  created_at timestamptz not null default now(),
  primary key (connection_id, team_id)
);
create index oauth_connection_team_grants_team on oauth_connection_team_grants (team_id);
create index oauth_connection_team_grants_org on oauth_connection_team_grants (org_id);
