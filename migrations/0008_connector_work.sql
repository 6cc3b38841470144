-- Written with every push: the organization goes with its connector. Referred to by itself, all pushes of an
-- organization would lock its one row at the same moment, which costs more than writing the work.
alter table connector_syncs drop constraint connector_syncs_org_id_fkey;
