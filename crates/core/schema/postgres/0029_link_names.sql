-- The name that the owner shows to those who open the link.
alter table share_links add column owner_name text;
