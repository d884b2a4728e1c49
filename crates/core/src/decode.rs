//! Column types that the storage crate does not know.

use uuid::Uuid;
use wishbone_storage::Row;

pub(crate) fn uuid(row: &dyn Row, column: usize) -> wishbone_storage::Result<Uuid> {
    Uuid::from_slice(row.blob(column)?).map_err(wishbone_storage::Error::bug)
}
