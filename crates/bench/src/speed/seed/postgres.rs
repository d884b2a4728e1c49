//! Bulk load into PostgreSQL, by COPY through psql.

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::process::Stdio;

use anyhow::{Context, ensure};

use super::bulk::{Bulk, Cell, Table};
use crate::processes::postgres::Cluster;

const DATABASE: &str = "wishbone";

pub(super) struct PostgresBulk<'c> {
    cluster: &'c Cluster,
    /// Definitions of the dropped secondary indexes.
    indexes: Vec<String>,
}

impl<'c> PostgresBulk<'c> {
    pub(super) fn new(cluster: &'c Cluster) -> Self {
        Self { cluster, indexes: Vec::new() }
    }
}

impl Bulk for PostgresBulk<'_> {
    fn table(&mut self, name: &str) -> anyhow::Result<Table> {
        let find = format!(
            "select column_name from information_schema.columns where table_schema = 'public' and table_name = '{name}'
             order by ordinal_position"
        );
        let columns = self.cluster.sql(DATABASE, &find)?.lines().map(str::to_owned).collect();
        let copy = format!("copy (select * from {name} order by 1, 2, 3, 4) to stdout");
        let rows = self.cluster.sql(DATABASE, &copy)?;
        let rows = rows.lines().map(|line| line.split('\t').map(read).collect()).collect();
        Ok(Table { name: name.to_owned(), columns, rows })
    }

    fn store_id(&mut self, pid: &str) -> anyhow::Result<i64> {
        let found = self.cluster.sql(DATABASE, &format!("select store_id from stores where pid = '{pid}'"))?;
        found.trim().parse().context("the store does not exist")
    }

    fn begin(&mut self, table: &str) -> anyhow::Result<()> {
        let find = format!(
            "select indexname || ' ' || indexdef from pg_indexes where tablename = '{table}'
             and not exists (select 1 from pg_constraint c where c.conname = indexname)"
        );
        for line in self.cluster.sql(DATABASE, &find)?.lines() {
            let (name, definition) = line.split_once(' ').context("unexpected index definition")?;
            self.cluster.sql(DATABASE, &format!("drop index {name}"))?;
            self.indexes.push(definition.to_owned());
        }
        Ok(())
    }

    fn load(&mut self, table: &Table, rows: &mut dyn Iterator<Item = Vec<Cell>>) -> anyhow::Result<()> {
        let copy = format!("copy {} ({}) from stdin", table.name, table.columns.join(", "));
        let mut psql = self.cluster.program("psql")?;
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", &self.cluster.url(DATABASE), "-c", &copy]);
        let mut child = psql.stdin(Stdio::piped()).spawn()?;
        let mut out = BufWriter::with_capacity(1 << 20, child.stdin.take().context("stdin is not piped")?);
        let mut line = String::new();
        for row in rows {
            line.clear();
            for (i, cell) in row.iter().enumerate() {
                if i > 0 {
                    line.push('\t');
                }
                write(&mut line, cell);
            }
            line.push('\n');
            out.write_all(line.as_bytes())?;
        }
        out.flush()?;
        drop(out);
        ensure!(child.wait()?.success(), "psql failed to copy into {}", table.name);
        Ok(())
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        for index in &self.indexes {
            self.cluster.sql(DATABASE, index)?;
        }
        self.cluster.sql(DATABASE, "vacuum analyze")?;
        Ok(())
    }
}

/// Parses a field in COPY's text format. Numbers stay text, since they are written back unchanged.
fn read(field: &str) -> Cell {
    if field == "\\N" {
        return Cell::Null;
    }
    if let Some(digits) = field.strip_prefix("\\\\x") {
        let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        return Cell::Blob((0..digits.len()).step_by(2).filter_map(byte).collect());
    }
    Cell::Text(field.replace("\\\\", "\\"))
}

fn write(out: &mut String, cell: &Cell) {
    let _ = match cell {
        Cell::Null => write!(out, "\\N"),
        Cell::Int(number) => write!(out, "{number}"),
        Cell::Real(number) => write!(out, "{number}"),
        Cell::Text(text) if text.contains(['\\', '\t', '\n', '\r']) => {
            let escaped = text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r");
            write!(out, "{escaped}")
        }
        Cell::Text(text) => write!(out, "{text}"),
        Cell::Blob(bytes) => {
            out.push_str("\\\\x");
            bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_survive_a_round_trip() {
        let cells =
            [Cell::Null, Cell::Text("a \"b\" \\ c".into()), Cell::Blob(vec![0, 255, 16]), Cell::Text(String::new())];
        for cell in cells {
            let mut out = String::new();
            write(&mut out, &cell);
            assert_eq!(read(&out), cell, "{out}");
        }
    }
}
