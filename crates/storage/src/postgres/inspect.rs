//! Query plans, schema and contents, for tests.

use tokio_postgres::SimpleQueryMessage;

use super::engine::Postgres;
use crate::error::{Error, Result};
use crate::sql::{Arg, Bound, Row, Sql};

impl Postgres {
    /// The generic plan with sequential and bitmap scans disabled: a statement that still scans has no usable index.
    pub(crate) async fn explain(&self, sql: Sql) -> Result<Vec<String>> {
        let nulls = vec!["null"; sql.parameters].join(", ");
        let call = if sql.parameters == 0 { "execute plan".to_owned() } else { format!("execute plan({nulls})") };
        let script = format!(
            "set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_bitmapscan = off;
             prepare plan as {}; explain (costs off) {call}; deallocate plan;
             reset plan_cache_mode; reset enable_seqscan; reset enable_bitmapscan",
            sql.text()
        );
        self.lines(&script).await
    }

    /// The number of pages read, by the more expensive of the custom and the generic plan. The server switches from the
    /// first to the second as a prepared statement is reused, unless the session uses custom plans only.
    pub(crate) async fn cost(&self, statement: Bound<'_>) -> Result<u64> {
        let args: Vec<String> = statement.args.iter().map(literal).collect();
        let is_custom_only = self.lines("show plan_cache_mode").await? == ["force_custom_plan"];
        let modes: &[&str] =
            if is_custom_only { &["force_custom_plan"] } else { &["force_custom_plan", "force_generic_plan"] };
        let mut max = 0;
        for mode in modes {
            let script = format!(
                "begin; set local plan_cache_mode = {mode}; prepare plan as {};
                 explain (analyze, buffers, costs off, timing off, summary off) execute plan({});
                 deallocate plan; rollback",
                statement.sql.text(),
                args.join(", ")
            );
            let plan = self.lines(&script).await?;
            tracing::debug!(mode, plan = plan.join("\n"));
            // The first such line belongs to the root node, which includes all others.
            let pages = plan.iter().find_map(|line| line.trim().strip_prefix("Buffers: shared "));
            let pages = pages.ok_or_else(|| Error::bug("the plan has no buffer counts"))?;
            let counts = pages.split(' ').filter_map(|part| part.split_once('=')?.1.parse::<u64>().ok());
            max = max.max(counts.sum());
        }
        Ok(max)
    }

    pub(crate) async fn describe(&self) -> Result<Vec<String>> {
        let mut out = self
            .lines(
                "select table_name || '.' || column_name || ' ' ||
                        case data_type when 'bigint' then 'int' when 'bytea' then 'blob'
                                       when 'double precision' then 'double' else data_type end ||
                        case when is_nullable = 'NO' then ' not null' else '' end
                 from information_schema.columns where table_schema = current_schema()",
            )
            .await?;
        out.extend(
            self.lines(
                "select t.relname || ' ' || case when i.indisunique then 'unique' else 'index' end || ' (' ||
                        (select string_agg(a.attname, ', ' order by k.position)
                         from unnest(i.indkey) with ordinality k(attnum, position)
                         join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum) || ')'
                 from pg_index i join pg_class t on t.oid = i.indrelid
                 join pg_namespace n on n.oid = t.relnamespace
                 where n.nspname = current_schema() and t.relkind = 'r'",
            )
            .await?,
        );
        out.sort();
        Ok(out)
    }

    pub(crate) async fn dump(&self, table: &str) -> Result<Vec<String>> {
        let client = self.client().await?;
        let rows = client.query(&format!("select * from {table}"), &[]).await?;
        let mut out = Vec::with_capacity(rows.len());
        for row in &rows {
            let cells = (0..row.len()).map(|i| cell(row, i)).collect::<Result<Vec<_>>>()?;
            out.push(cells.join(" | "));
        }
        out.sort();
        Ok(out)
    }

    async fn lines(&self, script: &str) -> Result<Vec<String>> {
        let client = self.client().await?;
        let messages = client.simple_query(script).await?;
        Ok(messages
            .iter()
            .filter_map(|message| match message {
                SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            })
            .collect())
    }
}

fn cell(row: &tokio_postgres::Row, i: usize) -> Result<String> {
    use tokio_postgres::types::Type;
    let text = match *row.columns()[i].type_() {
        Type::INT8 => row.opt_int(i)?.map(|value| value.to_string()),
        Type::FLOAT8 => row.opt_double(i)?.map(|value| format!("{value:?}")),
        Type::BYTEA => row.opt_blob(i)?.map(|value| format!("{value:02x?}")),
        _ => row.opt_text(i)?.map(str::to_owned),
    };
    Ok(text.unwrap_or_else(|| "null".to_owned()))
}

fn literal(arg: &Arg<'_>) -> String {
    match arg {
        Arg::Null => "null".to_owned(),
        Arg::Int(value) => value.to_string(),
        Arg::Double(value) => format!("'{value}'"),
        Arg::Text(value) => format!("'{}'", value.replace('\'', "''")),
        Arg::Blob(value) => {
            let digits: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("'\\x{digits}'")
        }
    }
}
