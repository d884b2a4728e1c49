//! Query plans, schema and contents, for tests.

use rusqlite::StatementStatus;
use rusqlite::types::ValueRef;

use super::engine::Sqlite;
use super::tx::SqliteTx;
use crate::error::Result;
use crate::sql::{Bound, Sql};

impl Sqlite {
    pub(crate) fn explain(&self, sql: Sql) -> Result<Vec<String>> {
        let connection = self.reader();
        let mut statement = connection.prepare(&format!("explain query plan {}", sql.text()))?;
        let lines = statement.raw_query().mapped(|row| row.get(3)).collect::<rusqlite::Result<_>>()?;
        Ok(lines)
    }

    /// The number of virtual machine instructions.
    pub(crate) fn cost(&self, statement: Bound<'_>) -> Result<u64> {
        let mut connection = self.reader();
        let tx = SqliteTx::new(&mut connection);
        let mut prepared = tx.prepare(&statement)?;
        prepared.reset_status(StatementStatus::VmStep);
        let mut rows = prepared.raw_query();
        while rows.next()?.is_some() {}
        drop(rows);
        Ok(u64::try_from(prepared.get_status(StatementStatus::VmStep)).unwrap_or_default())
    }

    pub(crate) fn describe(&self) -> Result<Vec<String>> {
        let connection = self.reader();
        let text = |sql: &str| -> Result<Vec<String>> {
            let mut statement = connection.prepare(sql)?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
        };
        let mut out = text(
            "select t.name || '.' || c.name || ' ' ||
                    case upper(c.type) when 'INTEGER' then 'int' when 'BIGINT' then 'int' when 'TEXT' then 'text'
                                       when 'BLOB' then 'blob' when 'DOUBLE' then 'double' else c.type end ||
                    case when c.\"notnull\" or c.pk then ' not null' else '' end
             from sqlite_schema t join pragma_table_info(t.name) c
             where t.type = 'table' and t.name not like 'sqlite_%'",
        )?;
        out.extend(text(
            "select t.name || ' ' || case when i.\"unique\" then 'unique' else 'index' end || ' (' ||
                    (select group_concat(name, ', ') from (select name from pragma_index_info(i.name) order by seqno)) || ')'
             from sqlite_schema t join pragma_index_list(t.name) i
             where t.type = 'table' and t.name not like 'sqlite_%'",
        )?);
        out.sort();
        Ok(out)
    }

    pub(crate) fn dump(&self, table: &str) -> Result<Vec<String>> {
        let connection = self.reader();
        let mut statement = connection.prepare(&format!("select * from {table}"))?;
        let columns = statement.column_count();
        let mut rows = statement.raw_query();
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            let mut cells = Vec::with_capacity(columns);
            for i in 0..columns {
                cells.push(match row.get_ref(i)? {
                    ValueRef::Null => "null".to_owned(),
                    ValueRef::Integer(value) => value.to_string(),
                    ValueRef::Real(value) => format!("{value:?}"),
                    ValueRef::Text(value) => String::from_utf8_lossy(value).into_owned(),
                    ValueRef::Blob(value) => format!("{value:02x?}"),
                });
            }
            out.push(cells.join(" | "));
        }
        out.sort();
        Ok(out)
    }
}
