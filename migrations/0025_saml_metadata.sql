-- Where the metadata of SAML identity providers is read from, and changes that wait for the approval of an admin.
-- While serving: a new table.

create table sso_saml_metadata (
  connector_id text collate "C" primary key references sso_connectors on delete cascade,
  org_id text not null collate "C" references organizations on delete cascade,
  -- Null: an admin sends the XML.
  url text,
  next_check_at timestamptz,
  checked_at timestamptz,
  -- Why the last check failed. Null: it did not.
  failure_code text,
  failure text,
  -- What the provider says now, if it differs from what is used.
  pending jsonb,
  pending_since timestamptz
);
create index sso_saml_metadata_org on sso_saml_metadata (org_id);
create index sso_saml_metadata_due on sso_saml_metadata (next_check_at) where next_check_at is not null;
