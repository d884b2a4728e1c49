//! Encodes item rows into records.

use wishbone_storage::{Query, Row};

use crate::catalog::lookup::{Placeholder, ProductLookup, Rendered, Template};
use crate::decode::uuid;
use crate::error::Result;
use crate::lists::row::ListRow;
use crate::lists::view::{ItemRecord, View};

/// How many columns an item takes at the front of a row …
pub(crate) const ITEM_COLUMNS: usize = 11;

/// … and, where it comes without the products of the catalogue, what is next: the catalogue's stamp.
pub(crate) const STAMP_COLUMN: usize = ITEM_COLUMNS;

/// The columns of an item `i` whose products are this expression.
macro_rules! item_columns {
    ($products:literal) => {
        concat!(
            "i.item_id, i.variant_id, i.product_id, i.added_at, i.seq, i.updated_at, i.device, i.attributes, ",
            $products,
            " as fields, i.added_by, i.changed_by"
        )
    };
}
pub(crate) use item_columns;

/// The same with what they were given for products, and the stamp of the catalogue of store `$1`.
macro_rules! item_columns_without_products {
    () => {
        concat!(
            $crate::items::encode::item_columns!("i.given"),
            ", (select catalog_stamp from stores where store_id = $1)"
        )
    };
}
pub(crate) use item_columns_without_products;

pub(crate) fn item_record(row: &dyn Row) -> wishbone_storage::Result<ItemRecord<'_>> {
    Ok(ItemRecord {
        item_id: uuid(row, 0)?,
        variant_id: row.int(1)?,
        product_id: row.int(2)?,
        added_at: row.int(3)?,
        updated_at: row.int(5)?,
        device: row.opt_text(6)?,
        attributes: row.text(7)?,
        fields: row.opt_text(8)?,
        added_by: row.opt_int(9)?,
        changed_by: row.opt_int(10)?,
    })
}

/// Encoded items with commas between them.
pub(crate) struct ItemWriter<'a> {
    /// Where there are any, rows come without the products of the catalogue, which are put in at the end.
    products: Option<&'a ProductLookup>,
    written: Template,
    stamp: i64,
    /// How many have been written.
    pub(crate) count: usize,
}

impl<'a> ItemWriter<'a> {
    /// With room for so many bytes.
    pub(crate) fn new(products: Option<&'a ProductLookup>, room: usize) -> Self {
        let written = Template { items: Vec::with_capacity(room), placeholders: Vec::new() };
        Self { products, written, stamp: 0, count: 0 }
    }

    /// What has been written. Before the first item anything else can be.
    pub(crate) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.written.items
    }

    /// Answers its variant.
    pub(crate) fn write(&mut self, view: &View<'_>, list: &ListRow, row: &dyn Row) -> wishbone_storage::Result<i64> {
        let Template { items: out, placeholders } = &mut self.written;
        if self.count > 0 {
            out.push(b',');
        }
        self.count += 1;
        let mut item = item_record(row)?;
        if self.products.is_none() {
            view.write_item(out, list, &item);
            return Ok(item.variant_id);
        }
        if self.count == 1 {
            self.stamp = row.int(STAMP_COLUMN)?;
        }
        let given = item.fields.replace("").map(Into::into);
        let at = view.write_item(out, list, &item);
        placeholders.push(Placeholder { at, variant_id: item.variant_id, given });
        Ok(item.variant_id)
    }

    /// The items of each of them, whole.
    pub(crate) async fn finish<Q: Query>(all: Vec<Self>, query: &mut Q, store_id: i64) -> Result<Vec<Rendered>> {
        let products = all.iter().find_map(|items| Some((items.products?, items.stamp)).filter(|_| items.count > 0));
        let parts: Vec<Template> = all.into_iter().map(|items| items.written).collect();
        match products {
            Some((products, stamp)) => products.render(query, store_id, stamp, &parts).await,
            None => Ok(parts.into_iter().map(|part| Rendered { text: part.items, spans: Some(Vec::new()) }).collect()),
        }
    }
}

/// Items with the products of the catalogue, or what they were given where it knows none.
macro_rules! item {
    () => {
        $crate::items::encode::item_columns!("coalesce(p.fields, i.given)")
    };
}
pub(crate) use item;

macro_rules! items_and_products {
    () => {
        " from items i left join products p on p.store_id = i.store_id and p.variant_id = i.variant_id
         where i.store_id = $1 and i.list_id = $2"
    };
}
pub(crate) use items_and_products;
