//! What items show of their product: its fields, its availability, and the price when they were saved if that was another.

use wishbone_storage::Row;

use crate::catalog::availability::Availability;
use crate::catalog::fields::{UNKNOWN, encoded_price};
use crate::catalog::web_url::shown_fields;
use crate::json::Object;

pub(crate) struct ShownProduct<'a> {
    /// Encoded; `None` if nothing is known of the product.
    pub(crate) fields: Option<&'a str>,
    /// `None` for a variant that the catalogue does not have.
    pub(crate) availability: Option<Availability>,
}

/// The key of the price when an item was saved, after other members.
pub(crate) const SAVED_PRICE: &str = r#","spr":"#;

impl<'a> ShownProduct<'a> {
    /// Reads the columns `fields`, `stock` and `deleted` of a row of a variant that may be in the catalogue.
    pub(crate) fn from_columns(
        row: &'a dyn Row,
        [fields, stock]: [usize; 2],
        low_stock: i64,
    ) -> wishbone_storage::Result<Self> {
        Ok(Self { fields: row.opt_text(fields)?, availability: Availability::from_columns(row, stock, low_stock)? })
    }

    pub(crate) fn write(&self, object: &mut Object<'_>, saved_price: Option<&str>) {
        let fields = shown_fields(self.fields.unwrap_or(UNKNOWN));
        object.fragment(fields.as_bytes());
        object.fragment(self.availability.map_or("", Availability::member));
        if let Some(price) = saved_price.filter(|price| differs_from_price(price, fields.as_bytes())) {
            object.raw("spr", price);
        }
    }
}

/// True if a price, with its digits, is another number than the one in encoded product fields.
pub(crate) fn differs_from_price(price: &str, fields: &[u8]) -> bool {
    let current = encoded_price(fields);
    current != price.as_bytes() && {
        let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<f64>().ok();
        number(current) != number(price.as_bytes())
    }
}
