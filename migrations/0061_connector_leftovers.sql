-- A connector of any size can be deleted. Its deliveries and syncs were removed by one statement with a limit of 20 s, and
-- on the embedded engine everything else waited for it. Now the statement removes what would be taken up as work, and
-- leaves a mark. A job removes the other rows in steps. Until then, statements leave out rows whose connector is gone.
--
-- While serving: safe. No table is locked. Processes of the version before show the deliveries and syncs of a deleted
-- connector until the job has removed them, and count a delivery to the whole instance with the id of one of these as a
-- repetition. They change nothing that a later version reads.

create table connector_leftovers (
  connector_id text primary key collate "C",
  org_id text not null collate "C",
  deleted_at timestamptz not null default now()
);

-- The trigger keeps its function. A mark of the organization stands for all of its connectors.
alter function connectors_remove_deliveries() rename to connectors_leave_rows;
create or replace function connectors_leave_rows() returns trigger language plpgsql as $$
declare
  connector record;
begin
  insert into connector_leftovers (connector_id, org_id)
  select id, org_id from gone where exists (select from organizations o where o.id = gone.org_id)
  on conflict (connector_id) do update set deleted_at = now();
  for connector in select id, org_id from gone loop
    -- The partial index of live syncs is by organization.
    delete from connector_syncs
    where org_id = connector.org_id and connector_id = connector.id and status in ('queued', 'running');
  end loop;
  return null;
end $$;
