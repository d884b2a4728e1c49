-- The signing keys that tokens were made with, by fingerprint.
create table signing_keys (
  fingerprint  text    not null,
  signed_since integer not null,
  accepted_at  integer,
  primary key (fingerprint)
) without rowid;
