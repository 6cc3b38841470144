-- A former member is known by the address instead of the account. Otherwise somebody who was removed could delete the
-- account and come back with a new one, by single sign-on or by an earlier invitation.
--
-- Stop all processes of earlier versions first: they look former members up by their account.

alter table former_members add column email text;
update former_members f set email = u.email from users u where u.id = f.user_id;
alter table former_members drop constraint former_members_pkey;
alter table former_members drop column user_id;
alter table former_members alter column email set not null;
alter table former_members add primary key (org_id, email);
