//! What a check reports.

use wishbone_storage::{FromRow, Row};

/// So many examples of a fault are shown.
pub(crate) const EXAMPLES: usize = 5;

/// One rule that rows do not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A name for programs, such as `item-count`.
    pub kind: &'static str,
    /// How often it was found.
    pub count: i64,
    /// Sentences about the first few.
    pub examples: Vec<String>,
    /// What follows from it, and what to do.
    pub meaning: &'static str,
}

/// A row that breaks a rule: whose it is, what is said of it, what was found, and how many more there are.
pub(crate) struct Violation {
    pub(crate) store: i64,
    pub(crate) id: String,
    pub(crate) said: i64,
    pub(crate) found: i64,
    pub(crate) total: i64,
}

impl FromRow for Violation {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let id = row.blob(1)?;
        let id = uuid::Uuid::from_slice(id).map_or_else(|_| format!("{id:02x?}"), |id| id.to_string());
        Ok(Self { store: row.int(0)?, id, said: row.int(2)?, found: row.int(3)?, total: row.int(4)? })
    }
}
