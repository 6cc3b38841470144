-- An automation names the templates and connections that its runs may use, and each attempt has a credential of its own.
-- While serving: the new columns have constant defaults, so no row is rewritten. Writes to the attempts wait while their
-- index is made; it is empty at first.

-- Not references: what a revision says never changes. A run whose template or connection is gone says so and fails.
alter table automation_revisions
  add column template_ids text[] not null default '{}',
  add column connection_ids text[] not null default '{}';

-- The hash of the credential, for as long as the attempt lasts.
alter table automation_run_attempts add column token_hash text collate "C";
create unique index automation_run_attempts_token on automation_run_attempts (token_hash) where token_hash is not null;
