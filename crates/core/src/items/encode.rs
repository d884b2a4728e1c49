//! Encodes item rows into records.

use wishbone_storage::{Query, Row};

use crate::catalog::lookup::{Placeholder, ProductLookup, Template};
use crate::catalog::shown_product::ShownProduct;
use crate::catalog::web_url::shown_fields;
use crate::error::Result;
use crate::lists::item_members;
use crate::lists::row::{Editor, ListRow};
use crate::lists::view::{ItemFrame, ItemRecord, View};
use crate::stores::record::StoreRecord;

/// The number of columns of an item, which come first in a row.
pub(crate) const ITEM_COLUMNS: usize = 5;
const FIELDS: usize = 1;
/// The number of columns of the catalogue, which follow them unless the item is read without its product.
pub(crate) const CATALOG_COLUMNS: usize = 2;

/// The columns of an item `i` with this expression for its product fields.
macro_rules! item_columns {
    ($fields:literal) => {
        concat!("i.members, ", $fields, " as fields, i.device, i.added_by, i.changed_by")
    };
}
pub(crate) use item_columns;

/// The columns of an item `i` with the fields that it was added with.
macro_rules! item_without_product {
    () => {
        $crate::items::encode::item_columns!("i.given")
    };
}
pub(crate) use item_without_product;

pub(crate) fn item_record(row: &dyn Row) -> wishbone_storage::Result<ItemRecord<'_>> {
    Ok(ItemRecord {
        members: row.text_bytes(0)?,
        device: row.opt_text(2)?,
        added_by: row.opt_int(3)?,
        changed_by: row.opt_int(4)?,
    })
}

/// The product of an item that was not read without it.
pub(crate) fn shown_product(row: &dyn Row, low_stock: i64) -> wishbone_storage::Result<ShownProduct<'_>> {
    ShownProduct::from_columns(row, [FIELDS, ITEM_COLUMNS], low_stock)
}

/// Encoded items of a list with commas between them.
pub(crate) struct ItemWriter<'a> {
    /// If set, rows come without the catalogue's fields, which [`Self::finish`] inserts.
    products: Option<&'a ProductLookup>,
    written: Template,
    /// Encoded with the first item.
    frame: Option<ItemFrame>,
    /// The number of items written.
    pub(crate) count: usize,
    /// True if an item was added or changed by an editor with a number.
    pub(crate) has_editor: bool,
}

impl<'a> ItemWriter<'a> {
    /// `capacity` is in bytes.
    pub(crate) fn new(products: Option<&'a ProductLookup>, capacity: usize) -> Self {
        let written = Template { text: Vec::with_capacity(capacity), placeholders: Vec::new() };
        Self { products, written, frame: None, count: 0, has_editor: false }
    }

    /// The output so far. Other text may be written before the first item.
    pub(crate) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.written.text
    }

    /// Appends an item.
    pub(crate) fn write(&mut self, view: &View<'_>, list: &ListRow, row: &dyn Row) -> wishbone_storage::Result<()> {
        let Template { text: out, placeholders } = &mut self.written;
        let frame = self.frame.get_or_insert_with(|| view.item_frame(list));
        if self.count > 0 {
            out.push(b',');
        }
        self.count += 1;
        let item = item_record(row)?;
        self.has_editor |= item.added_by.max(item.changed_by) > Some(Editor::ANONYMOUS);
        if self.products.is_none() {
            let product = shown_product(row, view.low_stock())?;
            view.write_framed_item(out, list, frame, &item, |object, saved_price| product.write(object, saved_price));
            return Ok(());
        }
        let variant_id = item_members::variant_id(item.members)?;
        let given = row.opt_text(FIELDS)?.map(|fields| shown_fields(fields).into());
        view.write_framed_item(out, list, frame, &item, |object, saved_price| {
            let (at, saved_price) = (object.fragment(""), saved_price.map(Into::into));
            placeholders.push(Placeholder { at, variant_id, given, saved_price });
        });
        Ok(())
    }

    /// Returns the output of each writer, with product fields. `catalog_version`: of the store, if there are any.
    pub(crate) async fn finish<Q: Query>(
        all: Vec<Self>,
        query: &mut Q,
        store: &StoreRecord,
        catalog_version: Option<i64>,
    ) -> Result<Vec<Vec<u8>>> {
        let products = all.iter().find_map(|items| items.products.filter(|_| items.count > 0));
        let parts: Vec<Template> = all.into_iter().map(|items| items.written).collect();
        match products {
            Some(products) => products.render(query, store, catalog_version, parts).await,
            None => Ok(parts.into_iter().map(|part| part.text).collect()),
        }
    }
}

/// The columns of an item `i` with the catalogue's fields, or those that it was added with.
macro_rules! item {
    () => {
        concat!($crate::items::encode::item_columns!("coalesce(p.fields, i.given)"), ", p.stock, p.deleted")
    };
}
pub(crate) use item;

macro_rules! items_and_products {
    () => {
        " from items i left join products p on p.store_id = $1 and p.variant_id = i.variant_id
         where i.store_id = $1 and i.list_id = $2"
    };
}
pub(crate) use items_and_products;
