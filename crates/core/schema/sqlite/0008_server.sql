-- What is true of all nodes together: one row, which every node looks at again and again.
create table server (
  id          integer not null,
  maintenance integer not null,
  updated_at  integer not null,
  primary key (id)
) without rowid;

insert into server (id, maintenance, updated_at) values (1, 0, 0);
