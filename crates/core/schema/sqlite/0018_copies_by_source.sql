-- A deleted list keeps its items while they are being copied.
create index copies_by_source on copies (store_id, source_id);

-- Copied items keep the numbers of their originals.
alter table copies drop column looked_at;
