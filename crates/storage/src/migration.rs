//! Numbered schema migrations. Each is applied once, in order, under a lock. A schema newer than the program is
//! rejected, because an old program could damage data it does not know.

use crate::error::{Error, Result};

/// One migration, in the SQL dialect of each engine.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    pub number: i64,
    pub name: &'static str,
    pub sqlite: &'static str,
    pub postgres: &'static str,
}

/// Every table in order of creation, by its current name, followed by the table of schema versions.
pub fn tables(migrations: &[Migration]) -> Vec<&'static str> {
    primary_keys(migrations).into_iter().map(|(table, _)| table).chain(["schema_versions"]).collect()
}

/// The columns of the primary key of each table that the migrations create, in order of creation.
pub fn primary_keys(migrations: &[Migration]) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut tables: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in migrations.iter().flat_map(|migration| migration.sqlite.lines()) {
        if let Some(rest) = line.strip_prefix("create table ") {
            tables.extend(rest.split(' ').next().map(|name| (name, Vec::new())));
        } else if let Some((old, new)) =
            line.strip_prefix("alter table ").and_then(|rest| rest.strip_suffix(';')?.split_once(" rename to "))
        {
            tables.iter_mut().filter(|(name, _)| *name == old).for_each(|(name, _)| *name = new);
        } else if let Some(dropped) = line.strip_prefix("drop table ").and_then(|rest| rest.strip_suffix(';')) {
            tables.retain(|(name, _)| *name != dropped);
        } else if let (Some((column, rest)), Some((_, key))) = (line.split_once(" primary key"), tables.last_mut()) {
            // After the columns, or with the only one.
            let columns = rest.strip_prefix(" (").and_then(|rest| rest.split_once(')')).map(|(columns, _)| columns);
            *key = columns.or(column.trim().split(' ').next()).unwrap_or_default().split(", ").collect();
        }
    }
    tables
}

/// True if a migration inserts rows into the table.
pub(crate) fn has_initial_rows(migrations: &[Migration], table: &str) -> bool {
    let inserts =
        |line: &str| line.strip_prefix("insert into ").is_some_and(|rest| rest.split(' ').next() == Some(table));
    migrations.iter().any(|migration| migration.sqlite.lines().any(inserts))
}

pub(crate) const CREATE_VERSIONS: &str =
    "create table if not exists schema_versions (number bigint not null primary key, name text not null)";
pub(crate) const CURRENT_VERSION: &str = "select coalesce(max(number), 0) from schema_versions";

/// The newest schema version that this program knows.
pub(crate) fn newest(migrations: &[Migration]) -> i64 {
    migrations.last().map_or(0, |migration| migration.number)
}

/// The migrations that a database at version `current` still needs.
pub(crate) fn pending(current: i64, migrations: &[Migration]) -> Result<&[Migration]> {
    let newest = newest(migrations);
    if current > newest {
        return Err(Error::Unusable(format!(
            "this database was written by a newer Wishbone (schema {current}, this program knows {newest}): \
             start the newer program, or restore a backup made before the update"
        )));
    }
    let applied = migrations.iter().take_while(|migration| migration.number <= current).count();
    Ok(&migrations[applied..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_their_current_names_and_keys() {
        let schema = "create table a (\n  x integer not null primary key,\n  y text\n);
create table b (\n  x integer not null,\n  y blob not null,\n  primary key (x, y)\n) without rowid;
create table c (\n  x integer,\n  primary key (x)\n);\ndrop table c;\nalter table b rename to d;\n";
        let migrations = [Migration { number: 1, name: "first", sqlite: schema, postgres: "" }];
        assert_eq!(primary_keys(&migrations), [("a", vec!["x"]), ("d", vec!["x", "y"])]);
        assert_eq!(tables(&migrations), ["a", "d", "schema_versions"]);
    }
}
