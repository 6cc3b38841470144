-- Costs of runs that report tokens without a cost, and one concept of budgets: the monthly budget of an organization
-- becomes a row of llm_budgets, and what was spent becomes rows of llm_spend.
-- While serving: new columns have constant defaults. Replicas of the older version still use automation_spend and
-- automation_settings.monthly_budget_micros, so both stay; a trigger counts what those replicas add. This version reads
-- neither of them.

alter table automation_usage
  -- The kind of provider or the id of an LLM provider, as the automation or the report named it.
  add column provider text,
  add column cache_read_tokens bigint not null default 0,
  add column cache_write_tokens bigint not null default 0,
  add column cache_write_1h_tokens bigint not null default 0,
  -- Where the cost comes from. `unpriced` has a cost of 0 that does not count as known.
  add column cost_source text not null default 'reported'
    check (cost_source in ('reported', 'computed', 'unpriced')),
  -- The price that was used: {"source": "catalogue" | "override", "id" | "date", "model", "validFrom"}.
  add column price jsonb,
  add column priced_at timestamptz,
  -- The cost and the price before the last correction of a price: {"costMicros": … or null, "price": … or null}.
  add column previous jsonb,
  add column recomputed_at timestamptz,
  -- Where the cost was counted in llm_spend. Null: for the organization and the member, on the day of the report.
  add column spend_day date,
  add column spend_subjects text[];
create index automation_usage_computed on automation_usage (org_id, reported_at, run_id, attempt, report)
  where cost_source <> 'reported';

insert into llm_spend (org_id, subject_id, day, cost_micros)
select org_id, org_id, month, cost_micros from automation_spend;

-- Members get budgets only now. What they spent in this month counts.
insert into llm_spend (org_id, subject_id, day, cost_micros)
select u.org_id, u.member_id, (u.reported_at at time zone 'UTC')::date, least(sum(u.cost_micros), 9007199254740991)
from automation_usage u join organizations o on o.id = u.org_id
where u.cost_micros > 0 and u.reported_at >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'
group by 1, 2, 3;

insert into llm_budgets (id, org_id, subject_kind, period, mode, limit_micros, warning_percent)
select 'lbg_' || substr(org_id, 5), org_id, 'organization', 'month', 'budget', monthly_budget_micros,
  budget_warning_percent
from automation_settings where monthly_budget_micros is not null;

insert into llm_budget_crossings (budget_id, period_start, level, limit_micros)
select b.id, s.month, c.level, c.limit_micros
from llm_budgets b join automation_spend s on s.org_id = b.org_id
cross join lateral (values ('warned', s.warned_for), ('exceeded', s.stopped_for)) c (level, limit_micros)
where c.limit_micros is not null;

create function llm_spend_follow() returns trigger language plpgsql as $$
begin
  insert into llm_spend as s (org_id, subject_id, day, cost_micros)
  values (new.org_id, new.org_id, new.month,
    new.cost_micros - case when tg_op = 'UPDATE' then old.cost_micros else 0 end)
  on conflict (org_id, subject_id, day) do update set cost_micros = s.cost_micros + excluded.cost_micros;
  return null;
end $$;
create trigger automation_spend_followed after insert or update of cost_micros on automation_spend
  for each row execute function llm_spend_follow();
