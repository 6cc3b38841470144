-- LLM providers: accounts of an organization at services that run language models, their keys, who may use them, the
-- organization's own prices, budgets and what was spent.
-- While serving: only new tables.

create table llm_providers (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  kind text not null,
  name text not null,
  -- The keys are sealed for its origin.
  base_url text not null,
  -- Names of models, or patterns that end with an asterisk. Null: all models.
  models text[],
  enabled boolean not null default true,
  created_by text not null collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint llm_providers_name unique (org_id, name)
);
create index llm_providers_page on llm_providers (org_id, id desc);

create table llm_provider_keys (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  provider_id text not null collate "C" references llm_providers on delete cascade,
  name text not null,
  -- Sealed, for the origin of the provider's address.
  secret text not null,
  tail text not null,
  disabled_at timestamptz,
  -- After a rotation, the earlier key is issued no more and is deleted at this time.
  retires_at timestamptz,
  replaced_by text collate "C",
  last_verdict text,
  last_message text,
  last_tested_at timestamptz,
  last_issued_at timestamptz,
  created_by text not null collate "C",
  created_at timestamptz not null default now()
);
create index llm_provider_keys_page on llm_provider_keys (provider_id, id desc);
create index llm_provider_keys_organization on llm_provider_keys (org_id);
create index llm_provider_keys_retiring on llm_provider_keys (retires_at) where retires_at is not null;

-- Who may use a provider. `worker_id` gets its reference with the table of workers.
create table llm_provider_grants (
  provider_id text not null collate "C" references llm_providers on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  subject_kind text not null check (subject_kind in ('organization', 'team', 'member', 'worker')),
  team_id text collate "C" references teams on delete cascade,
  member_id text collate "C" references members on delete cascade,
  worker_id text collate "C",
  subject_id text not null collate "C" generated always as (coalesce(team_id, member_id, worker_id, org_id)) stored,
  -- As in llm_providers, and in addition to it. Null: no further limit.
  models text[],
  created_at timestamptz not null default now(),
  primary key (provider_id, subject_id),
  constraint llm_provider_grants_subject check (
    (subject_kind = 'team') = (team_id is not null) and (subject_kind = 'member') = (member_id is not null)
    and (subject_kind = 'worker') = (worker_id is not null))
);
create index llm_provider_grants_subjects on llm_provider_grants (org_id, subject_id);
create index llm_provider_grants_team on llm_provider_grants (team_id) where team_id is not null;
create index llm_provider_grants_member on llm_provider_grants (member_id) where member_id is not null;
create index llm_provider_grants_worker on llm_provider_grants (worker_id) where worker_id is not null;

-- Prices of the organization, which come before those of the catalogue.
create table llm_prices (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  -- A kind of provider, or the id of one of the organization's providers.
  provider text not null collate "C",
  -- In lower case.
  model text not null collate "C",
  valid_from timestamptz not null,
  -- Integer micro-units per million tokens: {"input": …, "output": …, "cacheRead": …}.
  rates jsonb not null,
  note text not null default '',
  created_by text not null collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint llm_prices_validity unique (org_id, provider, model, valid_from)
);
create index llm_prices_page on llm_prices (org_id, id desc);

create table llm_budgets (
  id text collate "C" primary key,
  org_id text not null collate "C" references organizations on delete cascade,
  subject_kind text not null check (subject_kind in ('organization', 'team', 'member', 'provider')),
  team_id text collate "C" references teams on delete cascade,
  member_id text collate "C" references members on delete cascade,
  provider_id text collate "C" references llm_providers on delete cascade,
  subject_id text not null collate "C" generated always as (coalesce(team_id, member_id, provider_id, org_id)) stored,
  period text not null check (period in ('day', 'week', 'month')),
  -- A budget refuses what would cost more, an alert only notifies.
  mode text not null check (mode in ('budget', 'alert')),
  limit_micros bigint not null check (limit_micros >= 0),
  warning_percent integer not null check (warning_percent between 1 and 100),
  created_by text collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint llm_budgets_subject unique (org_id, subject_id, period),
  constraint llm_budgets_subject_kind check (
    (subject_kind = 'team') = (team_id is not null) and (subject_kind = 'member') = (member_id is not null)
    and (subject_kind = 'provider') = (provider_id is not null))
);
create index llm_budgets_page on llm_budgets (org_id, id desc);
create index llm_budgets_team on llm_budgets (team_id) where team_id is not null;
create index llm_budgets_member on llm_budgets (member_id) where member_id is not null;
create index llm_budgets_provider on llm_budgets (provider_id) where provider_id is not null;

-- What people were notified about. A changed limit can be crossed again.
create table llm_budget_crossings (
  budget_id text not null collate "C" references llm_budgets on delete cascade,
  period_start date not null,
  level text not null check (level in ('warned', 'exceeded')),
  limit_micros bigint not null,
  crossed_at timestamptz not null default now(),
  primary key (budget_id, period_start, level, limit_micros)
);

-- The cost of each day in UTC, for the organization, each team, each member and each provider. No reference to the
-- subject: what a team spent stays true when the team is removed.
create table llm_spend (
  org_id text not null collate "C" references organizations on delete cascade,
  subject_id text not null collate "C",
  day date not null,
  cost_micros bigint not null,
  primary key (org_id, subject_id, day)
) with (fillfactor = 70);
