-- A person confirms a sign-in that this browser did not start, or that replaces the session of somebody else. And the
-- certificates of SAML connectors about whose end the owners got a mail.
-- While serving: the check is replaced on a table with rows of the last hour; the other table is new.

alter table sso_attempts drop constraint sso_attempts_purpose_check;
alter table sso_attempts add constraint sso_attempts_purpose_check
  check (purpose in ('sign_in', 'reauthenticate', 'test', 'link', 'confirm'));

-- One mail for each certificate and each number of days before its end.
create table sso_certificate_notices (
  connector_id text not null collate "C" references sso_connectors on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  fingerprint text not null collate "C",
  days int not null,
  created_at timestamptz not null default now(),
  primary key (connector_id, fingerprint, days)
);
create index sso_certificate_notices_org on sso_certificate_notices (org_id);
