-- Attempts to connect without foreign keys to their member, organization and credentials. PostgreSQL checks a foreign key
-- with a query for each row. With the two indexes of these keys, that took about a third of its time for a start. The
-- statement that inserts attempts locks their members, so that none is removed before the attempts are committed, and a
-- trigger removes attempts with their member. Members are removed with their organization. Credentials need no key: an
-- attempt is valid only as long as the client has its credentials, and it is removed after ten minutes.
--
-- Attempts that have a token are few, so an index for them costs little. It finds the attempt of a token that is removed,
-- and the superseded attempts whose token must be revoked; both read all attempts before.
--
-- Safe while the service runs: the table holds the attempts of ten minutes, so the locks are short. While processes of the
-- version before still run, an attempt that one of them starts at the very moment at which its member is removed can
-- remain until it expires. Nobody can complete it, because it is found only together with its member.

alter table oauth_attempts drop constraint oauth_attempts_member_id_fkey;
alter table oauth_attempts drop constraint oauth_attempts_org_id_fkey;
alter table oauth_attempts drop constraint oauth_attempts_credentials_id_fkey;
drop index oauth_attempts_member;
drop index oauth_attempts_credentials;
create index oauth_attempts_token on oauth_attempts (token_id) where token_id is not null;

create function members_remove_attempts() returns trigger language plpgsql as $$
declare
  organization record;
begin
  -- One organization after the other, so that the index is used whatever the planner expects.
  for organization in select org_id as id, array_agg(id) as member_ids from gone group by org_id loop
    delete from oauth_attempts where org_id = organization.id and member_id = any(organization.member_ids);
  end loop;
  return null;
end $$;
create trigger members_attempts after delete on members
  referencing old table as gone for each statement execute function members_remove_attempts();
