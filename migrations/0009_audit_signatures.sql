-- The end of each audit chain is signed with a key of the key ring, so that write access to the database alone is
-- not enough to rewrite, shorten or prune a chain without being noticed. A null signature means that the chain was
-- never signed: chains from before this migration stay unsigned until `signalbox audit sign`.
-- Adds columns with constant defaults only: safe while serving. Earlier versions of the program do not maintain the
-- signature, so stop them before this version writes.
alter table audit_chains
  add column signature text collate "C",
  add column pruned_at timestamptz,
  -- The chain was started after its organization had existed for a while: an earlier one was removed.
  add column started_late boolean not null default false;
