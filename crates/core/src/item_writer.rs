//! Items being written into an answer, one row after the other.

use wishbone_store::{Query, Row};

use crate::Result;
use crate::lists::{ListRow, uuid};
use crate::record::{ItemRecord, View};
use crate::words::{Filled, Gap, KnownWords, Unfilled};

/// How many columns an item takes at the front of a row …
pub(crate) const ITEM_COLUMNS: usize = 11;
/// … and, where it comes without the words of the catalogue, what is next: the catalogue's stamp.
pub(crate) const STAMP_COLUMN: usize = ITEM_COLUMNS;

/// The columns of an item `i` whose words are this expression.
macro_rules! item_columns {
    ($words:literal) => {
        concat!(
            "i.item_id, i.variant_id, i.product_id, i.added_at, i.seq, i.updated_at, i.device, i.attributes, ",
            $words,
            " as fields, i.added_by, i.changed_by"
        )
    };
}
pub(crate) use item_columns;

/// The same with what they were given for words, and the stamp of the catalogue of store `$1`.
macro_rules! item_columns_without_words {
    () => {
        concat!(item_columns!("i.given"), ", (select catalog_stamp from stores where store_id = $1)")
    };
}
pub(crate) use item_columns_without_words;

pub(crate) fn item_record(row: &dyn Row) -> wishbone_store::Result<ItemRecord<'_>> {
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
    /// Where there are any, rows come without the words of the catalogue, which are put in at the end.
    words: Option<&'a KnownWords>,
    written: Unfilled,
    stamp: i64,
    /// How many have been written.
    pub(crate) count: usize,
}

impl<'a> ItemWriter<'a> {
    /// With room for so many bytes.
    pub(crate) fn new(words: Option<&'a KnownWords>, room: usize) -> Self {
        let written = Unfilled { items: Vec::with_capacity(room), gaps: Vec::new() };
        Self { words, written, stamp: 0, count: 0 }
    }

    /// What has been written. Before the first item anything else can be.
    pub(crate) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.written.items
    }

    /// Answers its variant.
    pub(crate) fn write(&mut self, view: &View<'_>, list: &ListRow, row: &dyn Row) -> wishbone_store::Result<i64> {
        let Unfilled { items: out, gaps } = &mut self.written;
        if self.count > 0 {
            out.push(b',');
        }
        self.count += 1;
        let mut item = item_record(row)?;
        if self.words.is_none() {
            view.write_item(out, list, &item);
            return Ok(item.variant_id);
        }
        if self.count == 1 {
            self.stamp = row.int(STAMP_COLUMN)?;
        }
        let given = item.fields.replace("").map(Into::into);
        let at = view.write_item(out, list, &item);
        gaps.push(Gap { at, variant_id: item.variant_id, given });
        Ok(item.variant_id)
    }

    /// The items of each of them, whole.
    pub(crate) async fn finish<Q: Query>(all: Vec<Self>, query: &mut Q, store_id: i64) -> Result<Vec<Filled>> {
        let words = all.iter().find_map(|items| Some((items.words?, items.stamp)).filter(|_| items.count > 0));
        let parts: Vec<Unfilled> = all.into_iter().map(|items| items.written).collect();
        match words {
            Some((words, stamp)) => words.fill(query, store_id, stamp, &parts).await,
            None => Ok(parts.into_iter().map(|part| Filled { text: part.items, spans: Some(Vec::new()) }).collect()),
        }
    }
}
