-- A run's credential can do no more than the credential that claimed the run, and ends with it.
-- While serving: the new columns are null in every row, so no row is rewritten.

-- What the claimer could do here. Null: claimed before this was stored.
alter table automation_run_attempts add column permissions text[];
-- The API key that the claim came with, or that the runner's token was made with. Not a reference: when the key is gone,
-- the credential is refused.
alter table automation_run_attempts add column key_id text collate "C";

-- Runner tokens now carry the right to hand on templates. Those of limited keys get it only if the key has it.
update automation_runner_tokens t set permissions = t.permissions || '{templates:read}'
where not 'templates:read' = any(t.permissions) and not exists (
  select from api_keys k where k.id = t.key_id and k.permissions is not null and not 'templates:read' = any(k.permissions));
