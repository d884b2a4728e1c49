//! Rows to copy, and the interface of the bulk loaders.

use anyhow::Context;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::Int(value as i64)
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<[u8; 16]> for Cell {
    fn from(value: [u8; 16]) -> Self {
        Self::Blob(value.to_vec())
    }
}

impl Cell {
    pub(super) fn replaced(&self, from: &str, to: &str) -> Self {
        match self {
            Self::Text(text) => Self::Text(text.replace(from, to)),
            other => other.clone(),
        }
    }
}

/// A table with its template rows.
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(super) fn column(&self, name: &str) -> anyhow::Result<usize> {
        let found = self.columns.iter().position(|column| column == name);
        found.with_context(|| format!("table {} has no column {name} : update the seeding", self.name))
    }

    /// A copy of a row with some columns changed. If a column does not exist, loading the row fails.
    pub(super) fn like(&self, row: usize, changes: &[(&str, Cell)]) -> Vec<Cell> {
        let mut copy = self.rows[row].clone();
        for (name, value) in changes {
            match self.column(name) {
                Ok(column) => copy[column] = value.clone(),
                Err(_) => copy.clear(),
            }
        }
        copy
    }
}

/// A bulk loader.
pub(super) trait Bulk {
    fn table(&mut self, name: &str) -> anyhow::Result<Table>;
    /// Returns the id of a store.
    fn store_id(&mut self, pid: &str) -> anyhow::Result<i64>;
    /// Begins loading, and drops the secondary indexes of the table that gets most of the rows.
    fn begin(&mut self, table: &str) -> anyhow::Result<()>;
    fn load(&mut self, table: &Table, rows: &mut dyn Iterator<Item = Vec<Cell>>) -> anyhow::Result<()>;
    /// Recreates the indexes and updates the planner statistics.
    fn finish(&mut self) -> anyhow::Result<()>;
}
