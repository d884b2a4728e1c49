//! The findings of a check.

use wishbone_storage::{FromRow, Row};

/// Maximum examples of a fault.
pub(crate) const MAX_EXAMPLES: usize = 5;

/// A rule that rows violate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A machine-readable name, such as `item-count`.
    pub kind: &'static str,
    /// The number of violations.
    pub count: i64,
    /// Descriptions of the first violations.
    pub examples: Vec<String>,
    /// The consequences, and what to do.
    pub meaning: &'static str,
}

/// A row that violates a rule: its store and id, the stored and the actual value, and the total number of violations.
pub(crate) struct Violation {
    pub(crate) store: i64,
    pub(crate) id: String,
    pub(crate) stored: i64,
    pub(crate) actual: i64,
    pub(crate) total: i64,
}

impl FromRow for Violation {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let id = row.blob(1)?;
        let id = uuid::Uuid::from_slice(id).map_or_else(|_| format!("{id:02x?}"), |id| id.to_string());
        Ok(Self { store: row.int(0)?, id, stored: row.int(2)?, actual: row.int(3)?, total: row.int(4)? })
    }
}
