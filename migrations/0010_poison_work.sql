-- Work that ends the process which does it would be taken again after every restart, for ever. So it is counted how
-- often a worker died with a piece of work; after the second time the work fails with that reason.
-- Safe while serving: constant defaults rewrite no row, and a version that does not know the columns goes on as before.
alter table connector_syncs add column worker_deaths int not null default 0;

alter table oauth_tokens
  add column refresh_deaths int not null default 0,
  -- Set when a revocation is taken, cleared when its outcome is noted: found set, its worker died.
  add column revoke_running boolean not null default false,
  add column revoke_deaths int not null default 0;

-- Jobs of the queue, which itself keeps only how the last attempt ended. Written when a worker died, read when its
-- job is taken again; removed with age.
create table job_deaths (
  job_id text collate "C" primary key,
  deaths int not null,
  noted_at timestamptz not null default now()
);
