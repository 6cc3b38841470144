-- Attempts to connect without stored secrets, and with two indexes fewer. The verifier and the nonce of an attempt are
-- derived from its state, whose hash is all that the database has of it; key_id names the key. A state begins with the id of
-- its attempt, so its hash needs no index. Attempts without a token are removed by the time in their id, and those with one
-- by the index of the tokens, so expires_at needs none either.
--
-- NOT safe while processes of the version before run: they cannot start or complete attempts. Attempts that wait for the
-- provider are removed, because their states have no id: the page says that the person has to start again. Those that wait
-- for a claim stay.

delete from oauth_attempts where token_id is null;
alter table oauth_attempts drop column secrets;
alter table oauth_attempts add column key_id text not null default '';
alter table oauth_attempts alter column key_id drop default;
alter table oauth_attempts drop constraint oauth_attempts_state_hash_key;
drop index oauth_attempts_expiry;
