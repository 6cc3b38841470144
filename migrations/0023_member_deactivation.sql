-- Members can be deactivated: they keep their role and teams, and have no access until somebody reactivates them. A
-- directory (SCIM) can manage members.
-- While serving: the new columns have constant defaults, so no row is rewritten. Processes of the previous version
-- do not know the columns, so nobody should be deactivated before all of them are replaced.

alter table members add column deactivated_at timestamptz;
-- The SCIM connector that manages the member. Not a reference: a removed connector releases its members in steps.
alter table members add column managed_by text collate "C";
-- What else the connector decides: 'role', 'name'. It always decides about deactivation and removal.
alter table members add column managed_fields text[] not null default '{}';
create index members_managed on members (managed_by) where managed_by is not null;

-- The connector gave this membership by a group mapping, so it also takes it away.
alter table team_members add column managed boolean not null default false;

-- People who were removed. Single sign-on and old invitations do not bring them back.
create table former_members (
  org_id text collate "C" not null references organizations (id) on delete cascade,
  user_id text collate "C" not null references users (id) on delete cascade,
  reason text not null check (reason in ('removed', 'deprovisioned')),
  removed_at timestamptz not null default now(),
  primary key (org_id, user_id)
);
create index former_members_user on former_members (user_id);
