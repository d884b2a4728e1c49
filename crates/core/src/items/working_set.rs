//! The items of one call in memory, while it changes or moves them.

use std::collections::HashMap;

use serde_json::Number;
use uuid::Uuid;
use wishbone_storage::{Arg, Bound, FromRow, Row, Tx};

use crate::catalog::availability::Availability;
use crate::catalog::fields::encoded_price;
use crate::catalog::shown_product::ShownProduct;
use crate::error::Result;
use crate::identity::caller::Shopper;
use crate::lists::copy::{self, PendingCopy};
use crate::lists::editors;
use crate::lists::item_members::ItemMembers;
use crate::lists::row::{Editor, ListRow};
use crate::lists::view::{ItemRecord, View};
use crate::moment::Millis;
use crate::stores::record::StoreRecord;

/// An item of the list, as stored or as changed by the call.
#[derive(Clone, Debug)]
pub(crate) struct ItemState {
    pub(crate) item_id: Uuid,
    pub(crate) product_id: i64,
    pub(crate) added_at: Millis,
    pub(crate) seq: i64,
    pub(crate) updated_at: Millis,
    pub(crate) device: Option<String>,
    pub(crate) attributes: String,
    pub(crate) given: Option<String>,
    pub(crate) added_by: Option<i64>,
    pub(crate) changed_by: Option<i64>,
}

/// A variant of the call: its item in the list, and its product.
#[derive(Debug, Default)]
pub(crate) struct Variant {
    pub(crate) stored: Option<ItemState>,
    pub(crate) item: Option<ItemState>,
    /// Encoded fields of the catalogue.
    fields: Option<String>,
    availability: Option<Availability>,
    /// True if the catalogue has it and it is not deleted.
    pub(crate) on_sale: bool,
    pub(crate) dirty: bool,
}

pub(crate) type Variants = HashMap<i64, Variant>;

impl FromRow for ItemState {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let ItemMembers { item_id, product_id, attributes, added_at, updated_at, .. } =
            ItemMembers::decode(row.text(0)?)?;
        Ok(Self {
            item_id,
            product_id,
            added_at,
            seq: row.int(1)?,
            updated_at,
            device: row.opt_text(2)?.map(str::to_owned),
            attributes: attributes.to_owned(),
            given: row.opt_text(3)?.map(str::to_owned),
            added_by: row.opt_int(4)?,
            changed_by: row.opt_int(5)?,
        })
    }
}

impl ItemState {
    /// The encoded members, for its row.
    pub(crate) fn members(&self, variant_id: i64) -> String {
        let Self { item_id, product_id, added_at, updated_at, .. } = *self;
        ItemMembers { item_id, variant_id, product_id, attributes: &self.attributes, added_at, updated_at }.encode()
    }
}

impl Variant {
    /// False for an item that was added and deleted by the same call.
    pub(crate) fn is_changed(&self) -> bool {
        self.dirty && (self.stored.is_some() || self.item.is_some())
    }

    /// True if the stored item is deleted or replaced by a new one.
    pub(crate) fn is_removed(&self) -> bool {
        let is_other = |stored: &ItemState| self.item.as_ref().is_none_or(|item| item.item_id != stored.item_id);
        self.stored.as_ref().is_some_and(is_other)
    }
}

pub(crate) struct WorkingSet {
    pub(crate) variants: Variants,
    /// Pending copies of the list by its owner.
    pub(crate) copies: Vec<PendingCopy>,
}

/// The variants that the list has, in order.
pub(crate) fn stored(variants: &Variants) -> Vec<i64> {
    let stored = variants.iter().filter(|(_, variant)| variant.stored.is_some());
    let mut variants: Vec<i64> = stored.map(|(id, _)| *id).collect();
    variants.sort_unstable();
    variants
}

/// Reads variants of a list: two statements for each, which can be sent with others.
pub(crate) struct VariantReader<'a> {
    ids: &'a [i64],
    low_stock: i64,
    keys: Vec<[Arg<'a>; 3]>,
}

impl<'a> VariantReader<'a> {
    pub(crate) fn new(store: &StoreRecord, list_id: &'a Uuid, ids: &'a [i64]) -> Self {
        let key = |id: &i64| [store.store_id.into(), (*id).into(), list_id.as_bytes().into()];
        Self { ids, low_stock: store.settings.alerts.low_stock, keys: ids.iter().map(key).collect() }
    }

    pub(crate) fn statements(&self) -> Vec<Bound<'_>> {
        self.keys.iter().flat_map(|key| [ITEM.bind(key), PRODUCT.bind(&key[..2])]).collect()
    }

    /// Adds a row of the statement with this index.
    pub(crate) fn collect(&self, out: &mut Variants, index: usize, row: &dyn Row) -> wishbone_storage::Result<()> {
        let variant = out.entry(self.ids[index / 2]).or_default();
        if index.is_multiple_of(2) {
            let item = ItemState::from_row(row)?;
            variant.stored = Some(item.clone());
            variant.item = Some(item);
        } else {
            variant.fields = Some(row.text(0)?.to_owned());
            variant.availability = Availability::from_columns(row, 1, self.low_stock)?;
            variant.on_sale = !row.flag(2)?;
        }
        Ok(())
    }
}

/// Reads variants of a locked list, its editors and its pending copies, in one round trip.
pub(crate) async fn read<T: Tx>(tx: &mut T, by: &Shopper, list: &mut ListRow, ids: &[i64]) -> Result<WorkingSet> {
    let (store_id, list_id, owner) = (by.store_id(), list.list_id, list.shopper_id);
    let reader = VariantReader::new(by.store(), &list_id, ids);
    let key = [store_id.into(), list_id.as_bytes().into()];
    let source = [store_id.into(), (&owner).into(), list_id.as_bytes().into()];
    let mut batch = reader.statements();
    let editors_at = batch.len();
    batch.extend([editors::OF_LIST.bind(&key), copy::FROM_SOURCE.bind(&source)]);
    let mut out = WorkingSet { variants: Variants::with_capacity(ids.len()), copies: Vec::new() };
    tx.query_all(&batch, &mut |index, row| {
        match index.checked_sub(editors_at) {
            None => reader.collect(&mut out.variants, index, row)?,
            Some(0) => list.editors.extend(Editor::from_columns(row, 0)?),
            Some(_) => out.copies.push(PendingCopy::from_row(row)?),
        }
        Ok(())
    })
    .await?;
    Ok(out)
}

/// Encodes the record of an item.
pub(crate) fn encode(view: &View<'_>, list: &ListRow, variants: &Variants, variant_id: i64) -> Vec<u8> {
    let variant = variants.get(&variant_id);
    let item = variant.and_then(|variant| variant.item.as_ref());
    variant.zip(item).map(|(variant, item)| variant.encode(view, list, variant_id, item)).unwrap_or_default()
}

impl Variant {
    /// Encodes an item of this variant.
    pub(crate) fn encode(&self, view: &View<'_>, list: &ListRow, variant_id: i64, item: &ItemState) -> Vec<u8> {
        let mut out = Vec::new();
        let members = item.members(variant_id);
        let record = ItemRecord {
            members: members.as_bytes(),
            device: item.device.as_deref(),
            added_by: item.added_by,
            changed_by: item.changed_by,
        };
        let fields = self.fields.as_deref().or(item.given.as_deref());
        view.write_item(&mut out, list, &record, &ShownProduct { fields, availability: self.availability });
        out
    }

    /// The price of the catalogue, or else of the fields that an item is added with.
    pub(crate) fn price(&self, given: Option<&str>) -> Option<Number> {
        let fields = self.fields.as_deref().or(given)?;
        std::str::from_utf8(encoded_price(fields.as_bytes())).ok()?.parse().ok()
    }
}

statements! {
    ITEM = "select members, seq, device, given, added_by, changed_by from items
            where store_id = $1 and variant_id = $2 and list_id = $3";
    PRODUCT = "select fields, stock, deleted from products where store_id = $1 and variant_id = $2";
}
