-- LLM providers of workers: a grant ends with its worker, and a registration token can give providers to the workers
-- that register with it.
-- While serving: no grant to a worker exists before this version, so the check of the reference reads an empty index.

alter table llm_provider_grants
  add constraint llm_provider_grants_worker_fk foreign key (worker_id) references workers on delete cascade;

alter table worker_registration_tokens add column llm_provider_ids text[] not null default '{}';
