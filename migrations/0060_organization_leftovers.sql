-- Rows of deleted organizations are removed in steps. Deleting an organization was one statement with a limit of 20 s, in
-- which PostgreSQL removed about 7.6 µs per webhook delivery and 3.3 µs per audit entry, so an organization with millions
-- of them could not be deleted. Now the statement removes what makes the organization reachable, and leaves a mark. A job
-- removes the rows of the tables that grow with time. Their foreign keys are dropped, because each would cascade.
--
-- A trigger on a table whose rows own such rows still removes them, unless the organization is gone: then the job does.
-- Queued and running work is removed at once, so that nothing takes it up.
--
-- Also without foreign keys to the organization: tables that have no index for them. A deletion read these tables from
-- start to end, with the rows of all organizations. Another foreign key removes their rows.
--
-- While serving: safe. The locks wait for open transactions on these tables. Until processes of the version before are
-- replaced, their job `automations.prune` logs an error, because the table of marks has another name: so they cannot
-- remove a mark while rows are left.

alter table automation_org_leftovers rename to organization_leftovers;
alter table organization_leftovers rename constraint automation_org_leftovers_pkey to organization_leftovers_pkey;
alter table organization_leftovers add column deleted_at timestamptz not null default now();

drop trigger organizations_gone on organizations;
drop function organizations_leave_runs();
drop trigger organizations_frequent_rows on organizations;
drop function organizations_remove_frequent_rows();
create function organizations_leave_rows() returns trigger language plpgsql as $$ begin
  insert into organization_leftovers (org_id) select id from gone on conflict (org_id) do update set deleted_at = now();
  delete from automation_runs where org_id in (select id from gone) and status in ('queued', 'running');
  return null;
end $$;
create trigger organizations_gone after delete on organizations
  referencing old table as gone for each statement execute function organizations_leave_rows();

-- The chain is removed with its organization, and nothing can be added to it any more. Its entries are left.
alter table audit_events drop constraint audit_events_scope_fkey;
create function audit_chains_remove_entries() returns trigger language plpgsql as $$
declare
  chain record;
begin
  for chain in select scope from gone
    where org_id is null or exists (select from organizations o where o.id = gone.org_id)
  loop
    delete from audit_events where scope = chain.scope;
  end loop;
  return null;
end $$;
create trigger audit_chains_gone after delete on audit_chains
  referencing old table as gone for each statement execute function audit_chains_remove_entries();

alter table webhook_delivery_targets drop constraint webhook_delivery_targets_connector_id_fkey;
create or replace function connectors_remove_deliveries() returns trigger language plpgsql as $$
declare
  connector record;
begin
  for connector in
    select id, org_id, exists (select from organizations o where o.id = gone.org_id) as has_organization from gone
  loop
    if connector.has_organization then
      delete from connector_syncs where connector_id = connector.id;
      delete from webhook_deliveries where target_connector_id = connector.id;
      delete from webhook_delivery_targets where connector_id = connector.id;
    else
      -- The partial index of live syncs is by organization.
      delete from connector_syncs
      where org_id = connector.org_id and connector_id = connector.id and status in ('queued', 'running');
    end if;
  end loop;
  return null;
end $$;

-- Connections of deleted organizations whose events are left. The events have an index by connection only.
create table oauth_event_leftovers (
  org_id text not null collate "C",
  connection_id text not null collate "C",
  primary key (org_id, connection_id)
);
create or replace function oauth_connections_remove_events() returns trigger language plpgsql as $$
declare
  connection record;
begin
  -- One by one, so that the index is used whatever the planner expects.
  for connection in
    select id, org_id, exists (select from organizations o where o.id = gone.org_id) as has_organization from gone
  loop
    if connection.has_organization then
      delete from oauth_connection_events where connection_id = connection.id;
    else
      insert into oauth_event_leftovers (org_id, connection_id) values (connection.org_id, connection.id);
    end if;
  end loop;
  return null;
end $$;

alter table telemetry_points drop constraint telemetry_points_org_id_fkey;
alter table telemetry_names drop constraint telemetry_names_org_id_fkey;
alter table llm_spend drop constraint llm_spend_org_id_fkey;
alter table automation_figures drop constraint automation_figures_org_id_fkey;
alter table automation_usage_days drop constraint automation_usage_days_org_id_fkey;
alter table automation_usage_repeated_runs drop constraint automation_usage_repeated_runs_org_id_fkey;

alter table template_versions drop constraint template_versions_org_id_fkey;
alter table oauth_connection_grants drop constraint oauth_connection_grants_org_id_fkey;
alter table connector_secrets drop constraint connector_secrets_org_id_fkey;
