-- The digest of a small body is computed when it is read.
alter table webhook_deliveries alter column body_digest drop not null;
