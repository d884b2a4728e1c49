//! Column types that the storage crate does not know.

use uuid::Uuid;
use wishbone_storage::{FromRow, Row};

pub(crate) fn uuid(row: &dyn Row, column: usize) -> wishbone_storage::Result<Uuid> {
    Uuid::from_slice(row.blob(column)?).map_err(wishbone_storage::Error::bug)
}

/// A row of one id.
pub(crate) struct Id(pub(crate) Uuid);

impl FromRow for Id {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(uuid(row, 0)?))
    }
}
