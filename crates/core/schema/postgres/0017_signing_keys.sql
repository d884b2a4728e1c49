-- The signing keys that tokens were made with, by fingerprint.
create table signing_keys (
  fingerprint  text   not null,
  signed_since bigint not null,
  accepted_at  bigint,
  primary key (fingerprint)
);
