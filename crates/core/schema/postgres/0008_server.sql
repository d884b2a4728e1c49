-- What is true of all nodes together: one row, which every node looks at again and again.
create table server (
  id          bigint not null,
  maintenance bigint not null,
  updated_at  bigint not null,
  primary key (id)
);

insert into server (id, maintenance, updated_at) values (1, 0, 0);
