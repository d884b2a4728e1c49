//! What items show of a variant's stock: never a number of units.

use wishbone_storage::Row;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Availability {
    In,
    Low,
    Out,
}

impl Availability {
    /// `stock`: `None` if it is not tracked. `low_stock`: the store's setting.
    pub(crate) fn new(stock: Option<i64>, is_deleted: bool, low_stock: i64) -> Self {
        match stock {
            _ if is_deleted => Self::Out,
            None => Self::In,
            Some(..=0) => Self::Out,
            Some(stock) if stock <= low_stock => Self::Low,
            Some(_) => Self::In,
        }
    }

    /// Reads the columns `stock` and `deleted`, which are null for a variant that the catalogue does not have.
    pub(crate) fn from_columns(row: &dyn Row, at: usize, low_stock: i64) -> wishbone_storage::Result<Option<Self>> {
        let Some(deleted) = row.opt_int(at + 1)? else { return Ok(None) };
        Ok(Some(Self::new(row.opt_int(at)?, deleted != 0, low_stock)))
    }

    /// The encoded member of an item.
    pub(crate) fn member(self) -> &'static str {
        match self {
            Self::In => r#""avl":"in""#,
            Self::Low => r#""avl":"low""#,
            Self::Out => r#""avl":"out""#,
        }
    }
}
