-- SCIM: find users by e-mail address on both engines, keep an admin's deactivation, link users later, and count quotas
-- without reading all rows.
-- While serving: the new column is null and the tables are new. Two statements fill them: deactivated members and users
-- of directories are few. A trigger keeps the addresses of users, so processes of the previous version may go on
-- writing users. Creations by such processes are missing in `quota_bounds` until its rows are counted again, at most a
-- day later.

-- Who deactivated the member. A directory reactivates only members whom a directory deactivated. Null: active, or not
-- known.
alter table members add column deactivated_by text check (deactivated_by in ('admin', 'directory'));
update members m set deactivated_by =
  case when m.managed_by is not null or exists (select from former_members f
      where f.org_id = m.org_id and f.user_id = m.user_id and f.reason = 'deprovisioned')
    then 'directory' else 'admin' end
where m.deactivated_at is not null;

-- The e-mail addresses of users, in lower case. An index of the documents would need bitmap scans, which the embedded
-- engine does not have.
create table scim_user_emails (
  user_id text not null collate "C" references scim_users on delete cascade,
  email_key text not null collate "C",
  connector_id text not null collate "C" references scim_connectors on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  primary key (user_id, email_key)
);
create index scim_user_emails_key on scim_user_emails (email_key, connector_id, user_id);
create index scim_user_emails_connector on scim_user_emails (connector_id, user_id);
create index scim_user_emails_org on scim_user_emails (org_id, user_id);

-- Longer values are not addresses, and an index cannot hold every text.
create function scim_users_write_emails() returns trigger language plpgsql as $$ begin
  delete from scim_user_emails where user_id = new.id;
  insert into scim_user_emails (user_id, email_key, connector_id, org_id)
  select distinct new.id, e ->> 'value', new.connector_id, new.org_id
  from jsonb_array_elements(coalesce(new.search -> 'emails', '[]')) e where length(e ->> 'value') <= 320;
  return null;
end $$;
create trigger scim_users_created after insert on scim_users
  for each row when (new.search ? 'emails') execute function scim_users_write_emails();
create trigger scim_users_changed after update of search on scim_users
  for each row when (old.search -> 'emails' is distinct from new.search -> 'emails')
  execute function scim_users_write_emails();

insert into scim_user_emails (user_id, email_key, connector_id, org_id)
select distinct u.id, e ->> 'value', u.connector_id, u.org_id
from scim_users u cross join jsonb_array_elements(coalesce(u.search -> 'emails', '[]')) e
where length(e ->> 'value') <= 320;

-- Users who may be linked later.
create index scim_users_unlinked on scim_users (org_id, id) where member_id is null;

-- An upper bound of what a quota counts, for quotas of which a directory creates thousands. Creations raise it, deletions
-- do not lower it. The rows are counted when the bound reaches the limit, and once a day.
create table quota_bounds (
  org_id text not null collate "C" references organizations on delete cascade,
  quota text not null,
  at_most bigint not null,
  counted_at timestamptz not null,
  primary key (org_id, quota)
);
