//! Changing items. One call is one transaction: deletions, then updates, then additions.

use wishbone_storage::{Arg, Bound, Tx, Write};

use crate::catalog::fields::ProductFields;
use crate::error::{Code, Error, Result};
use crate::identity::caller::Shopper;
use crate::items::input::{Action, FailedItem, ItemAttributes, ItemInput, ItemInputs};
use crate::items::working_set::{self, ItemState, Variant, VariantReader, Variants, WorkingSet};
use crate::json;
use crate::lists::access::{self, Access, ListTarget, Right};
use crate::lists::changes::{self as list_changes, ChangeKind, ListChange};
use crate::lists::events::ListEvents;
use crate::lists::row::ListRow;
use crate::lists::view::View;
use crate::lists::wishes::Changes;
use crate::lists::{copy, editors, merge_journal, wishes};
use crate::moment::{Millis, Moment};
use crate::stores::settings::CatalogRule;
use crate::webhooks::event_type::EventType;

pub struct ChangeItems {
    pub by: Shopper,
    pub list: ListTarget,
    /// The arrays of the call, each with an action.
    pub inputs: Vec<ItemInputs>,
    pub only_save_for_later: bool,
    pub moment: Moment,
}

/// The result of a call.
#[derive(Debug)]
pub struct Changed {
    /// One per array of the call.
    pub arrays: Vec<ChangedItems>,
    /// The list's version after the call.
    pub list_version: i64,
}

/// The result of one array.
#[derive(Debug)]
pub struct ChangedItems {
    pub action: Action,
    /// In the order of the input, without deletions of items that did not exist.
    pub results: Vec<std::result::Result<Vec<u8>, Box<FailedItem>>>,
}

impl Write for ChangeItems {
    const NAME: &'static str = "change_items";
    type Out = Changed;
    type Error = Error;

    fn shard_key(&self) -> Option<i64> {
        Some(self.by.store_id())
    }

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let found = self.list.list.find_and_lock(tx, &self.by).await?;
        let ids = self.variants();
        let reader = VariantReader::new(self.by.store(), &found.list_id, &ids);
        let mut variants = Variants::with_capacity(ids.len());
        let (target, statements) = ((&self.list, &found), reader.statements());
        let (mut list, access) =
            access::lock_and_read(tx, &self.by, target, Right::Edit, &statements, &mut |index, row| {
                reader.collect(&mut variants, index, row)
            })
            .await?;
        if self.only_save_for_later && !list.is_save_for_later() {
            return Err(Error::new(
                Code::NotSaveForLater,
                "not a save-for-later list: get its lid from sfl/fetch or sfl/create",
            ));
        }
        let editor = editors::number(tx, &self.by, &access, &list.list_id).await?;
        let stored = working_set::stored(&variants);
        let mut copied = Vec::new();
        merge_journal::record(tx, self.by.store_id(), &list, &stored).await?;
        // A new item of the owner has no editors, and no copy needs it.
        if editor.is_some() || !stored.is_empty() {
            let WorkingSet { copies, .. } = working_set::read(tx, &self.by, &mut list, &[]).await?;
            if !stored.is_empty() {
                copied = copy::copy_before_change(tx, copies, &stored, &self.moment).await?;
            }
        }
        let mut changes = ItemChanges::new(self, list, access, editor, variants);
        for action in [Action::Delete, Action::Update, Action::Add] {
            for inputs in self.inputs.iter().filter(|inputs| inputs.action == action) {
                changes.apply(inputs)?;
            }
        }
        changes.save(tx, &mut copied).await?;
        changes.record_events(tx).await?;
        Ok(changes.into_results())
    }
}

impl ChangeItems {
    /// Every variant of the call, once.
    fn variants(&self) -> Vec<i64> {
        let mut variants: Vec<i64> = self.inputs.iter().flat_map(ItemInputs::variants).collect();
        variants.sort_unstable();
        variants.dedup();
        variants
    }
}

/// The outcome of an element. Records are encoded at the end of the call, when later elements have been applied.
enum ItemOutcome {
    Failed(Box<FailedItem>),
    /// The record before the deletion.
    Deleted(Vec<u8>),
    NothingToDelete,
    /// The variant of an item that was added or updated.
    Saved(i64),
}

/// The changes of a call, applied in memory.
struct ItemChanges<'a> {
    call: &'a ChangeItems,
    view: View<'a>,
    list: ListRow,
    /// The caller's editor number; `None` is the owner.
    editor: Option<i64>,
    now: Millis,
    variants: Variants,
    outcomes: Vec<(Action, Vec<ItemOutcome>)>,
    added: usize,
}

impl<'a> ItemChanges<'a> {
    fn new(call: &'a ChangeItems, list: ListRow, access: Access, editor: Option<i64>, variants: Variants) -> Self {
        // Later than the list's last change even if the clock was set back, so that items keep their order of addition.
        let now = call.moment.after(list.updated_at);
        Self { call, view: View::new(&call.by, access), list, editor, now, variants, outcomes: Vec::new(), added: 0 }
    }

    fn apply(&mut self, inputs: &ItemInputs) -> Result<()> {
        let mut outcomes = Vec::with_capacity(inputs.len());
        for element in &inputs.elements {
            outcomes.push(match element {
                Err(failed) => ItemOutcome::Failed(failed.clone()),
                Ok(input) => match inputs.action {
                    Action::Delete => self.delete(input),
                    Action::Update => self.update(input)?,
                    Action::Add => self.add(input)?,
                },
            });
        }
        self.outcomes.push((inputs.action, outcomes));
        Ok(())
    }

    fn delete(&mut self, input: &ItemInput) -> ItemOutcome {
        let Some(variant) = self.variants.get_mut(&input.variant_id) else { return ItemOutcome::NothingToDelete };
        let matches = |item: &ItemState| input.product_id.is_none_or(|product_id| product_id == item.product_id);
        if !variant.item.as_ref().is_some_and(matches) {
            return ItemOutcome::NothingToDelete;
        }
        let record = self.encode(input.variant_id);
        if let Some(variant) = self.variants.get_mut(&input.variant_id) {
            variant.item = None;
            variant.dirty = true;
        }
        self.list.item_count -= 1;
        ItemOutcome::Deleted(record)
    }

    fn update(&mut self, input: &ItemInput) -> Result<ItemOutcome> {
        let (now, editor) = (self.now, self.editor);
        let variant = self.variants.entry(input.variant_id).or_default();
        let Some(item) = &mut variant.item else {
            return Ok(ItemOutcome::Failed(
                input.failed(Code::ItemNotFound, "this variant is not in the list: add it first"),
            ));
        };
        change_item(item, input, now, editor)?;
        variant.dirty = true;
        Ok(ItemOutcome::Saved(input.variant_id))
    }

    fn add(&mut self, input: &ItemInput) -> Result<ItemOutcome> {
        let (now, editor) = (self.now, self.editor);
        let settings = &self.call.by.store().settings;
        let variant = self.variants.entry(input.variant_id).or_default();
        variant.dirty = true;
        if let Some(item) = &mut variant.item {
            change_item(item, input, now, editor)?;
            return Ok(ItemOutcome::Saved(input.variant_id));
        }
        if settings.catalog == CatalogRule::Strict && !variant.on_sale {
            let message = "this product is not in the catalogue: add it with products/upsert first";
            return Ok(ItemOutcome::Failed(input.failed(Code::UnknownProduct, message)));
        }
        if self.list.item_count >= settings.max_items {
            let message = format!("a list can have at most {} items: delete some first", settings.max_items);
            return Ok(ItemOutcome::Failed(input.failed(Code::LimitReached, message)));
        }
        // Ids 0 and 1 belong to a list that the call may create.
        self.added += 1;
        let device = Some(self.call.by.device()).filter(|device| *device != self.list.device);
        let given = input.product_fields(None)?.map(|fields| fields.encode()).transpose()?;
        let attributes = ItemAttributes::saved_at(variant.price(given.as_deref()), input)?;
        variant.item = Some(ItemState {
            item_id: self.call.moment.id(self.added + 1),
            product_id: input.product_id.unwrap_or_default(),
            added_at: now,
            seq: self.list.next_seq,
            updated_at: now,
            device: device.map(str::to_owned),
            attributes: json::members(&attributes)?,
            given,
            added_by: editor,
            changed_by: editor,
        });
        self.list.next_seq += 1;
        self.list.item_count += 1;
        Ok(ItemOutcome::Saved(input.variant_id))
    }

    /// Writes the list's row with its exact count, and the changed items, with what comes next. `copied` are the lists that
    /// have got items before.
    async fn save<T: Tx>(&mut self, tx: &mut T, copied: &mut Vec<([u8; 16], ListChange)>) -> Result<()> {
        let mut changed: Vec<(i64, &Variant)> = self
            .variants
            .iter()
            .filter(|(_, variant)| variant.is_changed())
            .map(|(id, variant)| (*id, variant))
            .collect();
        if changed.is_empty() {
            return list_changes::record_all(tx, self.call.by.store_id(), copied).await;
        }
        changed.sort_unstable_by_key(|(id, _)| *id);
        self.list.updated_at = self.now;
        self.list.version += 1;
        self.list.changed_by = self.editor;
        let store_id = self.call.by.store_id();
        let list_id = self.list.list_id.into_bytes();
        if self.list.comment_count > 0 {
            // Comments are deleted with their item.
            let removed = changed.iter().filter(|(_, variant)| variant.is_removed());
            let keys: Vec<[Arg<'_>; 3]> =
                removed.map(|(id, _)| [store_id.into(), (&list_id).into(), (*id).into()]).collect();
            let batch: Vec<Bound<'_>> = keys.iter().map(|key| DELETE_COMMENTS.bind(key)).collect();
            let deleted: u64 = tx.execute_all(&batch).await?.iter().sum();
            self.list.comment_count -= i64::try_from(deleted).map_err(Error::internal)?;
        }
        let touch = touch(&self.list, store_id, &list_id);
        let members: Vec<Option<String>> =
            changed.iter().map(|(id, variant)| variant.item.as_ref().map(|item| item.members(*id))).collect();
        let mut sort_values = Vec::with_capacity(changed.len());
        for (_, variant) in &changed {
            let given = variant.item.as_ref().and_then(|item| item.given.as_deref());
            sort_values.push(
                given
                    .map(ProductFields::decode)
                    .transpose()?
                    .map_or((None, None), |fields| (fields.price(), fields.title_key())),
            );
        }
        let mut rows: Vec<(wishbone_storage::Sql, Vec<Arg<'_>>)> = Vec::with_capacity(changed.len() + 1);
        for (((id, variant), members), (price, title_key)) in changed.iter().zip(&members).zip(&sort_values) {
            let replaced = variant.is_removed();
            if replaced {
                rows.push((DELETE, vec![store_id.into(), (&list_id).into(), (*id).into()]));
            }
            let Some(item) = &variant.item else { continue };
            if variant.stored.is_some() && !replaced {
                rows.push((
                    UPDATE,
                    vec![
                        members.as_ref().into(),
                        item.given.as_ref().into(),
                        (*price).into(),
                        title_key.as_ref().into(),
                        item.changed_by.into(),
                        store_id.into(),
                        (&list_id).into(),
                        (*id).into(),
                    ],
                ));
            } else {
                rows.push((
                    INSERT,
                    vec![
                        store_id.into(),
                        (&list_id).into(),
                        item.added_at.into(),
                        item.seq.into(),
                        members.as_ref().into(),
                        (*id).into(),
                        item.product_id.into(),
                        item.device.as_ref().into(),
                        item.given.as_ref().into(),
                        (*price).into(),
                        title_key.as_ref().into(),
                        item.added_by.into(),
                        item.changed_by.into(),
                    ],
                ));
            }
        }
        let mut wishes = Changes::new();
        for (_, variant) in &changed {
            if let Some(stored) = variant.stored.as_ref().filter(|_| variant.is_removed()) {
                *wishes.entry(stored.product_id).or_default() -= 1;
            }
            if let Some(item) = variant.item.as_ref().filter(|_| variant.stored.is_none() || variant.is_removed()) {
                *wishes.entry(item.product_id).or_default() += 1;
            }
        }
        rows.extend(wishes::statements(store_id.into(), &self.list, &wishes));
        let mut batch = vec![TOUCH.bind(&touch)];
        batch.extend(rows.iter().map(|(sql, args)| sql.bind(args)));
        tx.defer_all(&batch).await?;
        copied.push((self.list.shopper_id, list_changes::change(ChangeKind::Updated, &self.list)));
        list_changes::record_all(tx, store_id, copied).await
    }

    /// Records one event for each item that was removed, updated or added, in this order.
    async fn record_events<T: Tx>(&self, tx: &mut T) -> Result<()> {
        const TYPES: [EventType; 3] = [EventType::ItemRemoved, EventType::ItemUpdated, EventType::ItemAdded];
        let (by, moment) = (&self.call.by, &self.call.moment);
        let Some(mut events) = ListEvents::begin(tx, by, &self.list, &TYPES).await? else { return Ok(()) };
        let list = events.with_editors(&self.list);
        let mut changed: Vec<(EventType, i64, Vec<u8>)> = Vec::new();
        for (id, variant) in self.variants.iter().filter(|(_, variant)| variant.is_changed()) {
            let encode = |item: &ItemState| variant.encode(&events.view(), &list, *id, item);
            let is_replaced = variant.is_removed();
            if let Some(stored) = variant.stored.as_ref().filter(|_| is_replaced) {
                changed.push((EventType::ItemRemoved, stored.seq, encode(stored)));
            }
            if let Some(item) = &variant.item {
                let is_new = is_replaced || variant.stored.is_none();
                let event_type = if is_new { EventType::ItemAdded } else { EventType::ItemUpdated };
                changed.push((event_type, item.seq, encode(item)));
            }
        }
        changed.sort_by_key(|(event_type, seq, _)| (TYPES.iter().position(|known| known == event_type), *seq));
        changed.into_iter().for_each(|(event_type, _, record)| events.add(event_type, &list, record));
        events.save(tx, moment).await
    }

    fn encode(&self, variant_id: i64) -> Vec<u8> {
        working_set::encode(&self.view, &self.list, &self.variants, variant_id)
    }

    fn into_results(mut self) -> Changed {
        let outcomes = std::mem::take(&mut self.outcomes);
        let arrays = outcomes.into_iter().map(|(action, outcomes)| {
            let results = outcomes.into_iter().filter_map(|outcome| match outcome {
                ItemOutcome::Failed(failed) => Some(Err(failed)),
                ItemOutcome::Deleted(record) => Some(Ok(record)),
                ItemOutcome::NothingToDelete => None,
                ItemOutcome::Saved(variant_id) => Some(Ok(self.encode(variant_id))),
            });
            ChangedItems { action, results: results.collect() }
        });
        Changed { arrays: arrays.collect(), list_version: self.list.version }
    }
}

/// The arguments of [`TOUCH`].
pub(crate) fn touch<'a>(list: &ListRow, store_id: i64, list_id: &'a [u8; 16]) -> [Arg<'a>; 8] {
    [
        list.version.into(),
        list.updated_at.into(),
        list.item_count.into(),
        list.next_seq.into(),
        list.changed_by.into(),
        list.comment_count.into(),
        store_id.into(),
        list_id.into(),
    ]
}

fn change_item(item: &mut ItemState, input: &ItemInput, now: Millis, editor: Option<i64>) -> Result<()> {
    let mut attributes: ItemAttributes = json::from_members(&item.attributes)?;
    attributes.apply(input)?;
    item.attributes = json::members(&attributes)?;
    item.given = input.product_fields(item.given.as_deref())?.map(|fields| fields.encode()).transpose()?;
    item.updated_at = now;
    item.changed_by = editor;
    Ok(())
}

statements! {
    pub(crate) TOUCH = "update lists set version = $1, updated_at = $2, item_count = $3, next_seq = $4, changed_by = $5,
                              comment_count = $6
             where store_id = $7 and list_id = $8";
    INSERT = "insert into items (store_id, list_id, added_at, seq, members, variant_id, product_id, device, given,
                                 given_price, given_title_key, added_by, changed_by)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    UPDATE = "update items set members = $1, given = $2, given_price = $3, given_title_key = $4, changed_by = $5
              where store_id = $6 and list_id = $7 and variant_id = $8";
    pub(crate) DELETE = "delete from items where store_id = $1 and list_id = $2 and variant_id = $3";
    pub(crate) DELETE_COMMENTS = "delete from comments where store_id = $1 and list_id = $2 and variant_id = $3";
}
