-- People sign in with passkeys (WebAuthn), alone or as the second factor beside a password.
-- While serving: new tables, and a foreign key of a small table that is replaced.

create table passkeys (
  id text collate "C" primary key,
  user_id text collate "C" not null references users(id) on delete cascade,
  -- Chosen by the authenticator, in base64url. No two accounts have the same one.
  credential_id text not null unique,
  -- The public key in COSE form, in base64url.
  public_key text not null,
  -- The signature counter. Zero for authenticators that do not count.
  counter bigint not null default 0,
  transports text[] not null default '{}',
  -- True for passkeys that a password manager copies to several devices.
  synced boolean not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_id, id);

-- Each is answered once, within minutes. Hashed, because only comparison is needed.
create table passkey_challenges (
  challenge_hash text primary key,
  purpose text not null check (purpose in ('register', 'sign_in')),
  -- Who may answer. Null: whoever has a passkey.
  user_id text collate "C" references users(id) on delete cascade,
  expires_at timestamptz not null
);
create index passkey_challenges_expiry on passkey_challenges (expires_at);

-- Backup codes also replace a lost passkey, so they no longer depend on an authenticator app.
alter table backup_codes drop constraint backup_codes_user_id_fkey;
alter table backup_codes add constraint backup_codes_user_id_fkey foreign key (user_id) references users(id) on delete cascade;
