-- Frequent rows without foreign keys: issued tokens, deliveries and syncs. PostgreSQL checks a foreign key with a query for
-- each row, which took a third of its time for a token and a quarter for a push. The statements that insert these rows
-- lock the connection or connector that owns them, once for all rows, so it cannot be removed before they are committed.
-- Triggers remove the rows with their owner.
--
-- While processes of the version before still run, a row that one of them inserts at the very moment at which its owner is
-- removed can remain until it is too old to be kept.

alter table oauth_connection_events drop constraint oauth_connection_events_connection_id_fkey;
alter table oauth_connection_events drop constraint oauth_connection_events_org_id_fkey;
-- Events are removed in the order of their ids, which begin with the time.
drop index oauth_connection_events_age;
-- Only events without a connection are removed by their organization.
drop index oauth_connection_events_org;
create index oauth_connection_events_org on oauth_connection_events (org_id) where connection_id is null;

create function oauth_connections_remove_events() returns trigger language plpgsql as $$
declare
  connection record;
begin
  -- One by one, so that the index is used whatever the planner expects.
  for connection in select id from gone loop
    delete from oauth_connection_events where connection_id = connection.id;
  end loop;
  return null;
end $$;
create trigger oauth_connections_events after delete on oauth_connections
  referencing old table as gone for each statement execute function oauth_connections_remove_events();

alter table webhook_deliveries drop constraint webhook_deliveries_target_connector_id_fkey;
alter table webhook_deliveries drop constraint webhook_deliveries_org_id_fkey;
alter table connector_syncs drop constraint connector_syncs_connector_id_fkey;

create function connectors_remove_deliveries() returns trigger language plpgsql as $$
declare
  connector record;
begin
  for connector in select id from gone loop
    delete from connector_syncs where connector_id = connector.id;
    delete from webhook_deliveries where target_connector_id = connector.id;
  end loop;
  return null;
end $$;
create trigger connectors_deliveries after delete on connectors
  referencing old table as gone for each statement execute function connectors_remove_deliveries();

-- Events without a connection, and deliveries of earlier versions without a connector.
create function organizations_remove_frequent_rows() returns trigger language plpgsql as $$
declare
  organization record;
begin
  for organization in select id from gone loop
    delete from oauth_connection_events where org_id = organization.id and connection_id is null;
    delete from webhook_deliveries where org_id = organization.id;
  end loop;
  return null;
end $$;
create trigger organizations_frequent_rows after delete on organizations
  referencing old table as gone for each statement execute function organizations_remove_frequent_rows();
