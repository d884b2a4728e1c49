-- A store's own templates of mails, by name, such as alert.html.
create table mail_templates (
  store_id   bigint not null,
  name       text   not null,
  source     text   not null,
  updated_at bigint not null,
  primary key (store_id, name)
);

-- A store's own texts of mails and pages, by language tag and key.
create table mail_texts (
  store_id   bigint not null,
  language   text   not null,
  name       text   not null,
  content    text   not null,
  updated_at bigint not null,
  primary key (store_id, language, name)
);
