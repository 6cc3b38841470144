-- Search over templates. What is searched stands by itself, in lower case, in the order of the list: a search
-- reads it in steps of a bounded size, whatever the size of the templates. Kept by a trigger, so whoever writes a
-- template keeps it. A new table, filled from the templates: safe while serving; writing templates waits for it.
--
-- A trigram index was tried and turned down: a template with a long description took thirty to fifty milliseconds
-- to write, on the embedded engine with everything else waiting, to save less than that in a search of 10,000.
create table template_search (
  org_id text not null collate "C" references organizations on delete cascade,
  template_id text not null collate "C" references templates on delete cascade,
  -- Name, slug, description and tags, in lower case.
  text text not null,
  tags text[] not null,
  primary key (org_id, template_id)
);
create index template_search_template on template_search (template_id);

create function keep_template_search() returns trigger language plpgsql as $$
begin
  insert into template_search (org_id, template_id, text, tags)
  values (new.org_id, new.id,
    lower(new.name || ' ' || new.slug || ' ' || new.description || ' ' || array_to_string(new.tags, ' ')), new.tags)
  on conflict (org_id, template_id) do update set text = excluded.text, tags = excluded.tags;
  return null;
end $$;

-- The lock comes before the copy, so that no template is written between the two.
lock table templates in share row exclusive mode;
insert into template_search (org_id, template_id, text, tags)
select org_id, id, lower(name || ' ' || slug || ' ' || description || ' ' || array_to_string(tags, ' ')), tags
from templates;
create trigger template_search_insert after insert on templates
  for each row execute function keep_template_search();
create trigger template_search_update after update of slug, name, description, tags on templates
  for each row when (old.slug is distinct from new.slug or old.name is distinct from new.name
    or old.description is distinct from new.description or old.tags is distinct from new.tags)
  execute function keep_template_search();

-- The first format of sealed values did not authenticate organization and address. A row here says that no value of
-- it is left, so that none is accepted any more. `mark` is derived from the instance's secret. Safe while serving.
create table sealing_formats (
  ended int primary key,
  mark text not null,
  ended_at timestamptz not null default now()
);
