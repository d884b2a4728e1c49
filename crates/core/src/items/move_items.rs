//! Moves items from one list to another in one transaction, so that no item is lost or doubled.

use std::collections::HashSet;

use wishbone_storage::{Arg, Bound, Tx, Write};

use crate::error::{Code, Error, Result};
use crate::identity::caller::Shopper;
use crate::items::change;
use crate::items::input::{FailedItem, ItemInput, ItemInputs};
use crate::items::working_set::{self, ItemState, Variants};
use crate::lists::access::{self, Access, ListTarget, Right};
use crate::lists::changes::{self, ChangeKind};
use crate::lists::events::ListEvents;
use crate::lists::row::ListRow;
use crate::lists::view::View;
use crate::lists::wishes::Changes;
use crate::lists::{copy, editors, merge_journal, wishes};
use crate::moment::{Millis, Moment};
use crate::stores::settings::Feature;
use crate::webhooks::event_type::EventType;

pub struct MoveItems {
    pub by: Shopper,
    pub from: ListTarget,
    pub to: ListTarget,
    pub items: ItemInputs,
    pub moment: Moment,
}

/// The result of a call.
#[derive(Debug)]
pub struct Moved {
    /// The records of moved items in the other list.
    pub moved: Vec<Vec<u8>>,
    /// The records of items that the other list had already.
    pub already: Vec<Vec<u8>>,
    /// Items that were not moved.
    pub failed: Vec<FailedItem>,
    pub from_version: i64,
    pub to_version: i64,
}

impl Write for MoveItems {
    const NAME: &'static str = "move_items";
    type Out = Moved;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Moved> {
        let ((mut from, from_access), (mut to, to_access)) = self.lock(tx).await?;
        if from.is_save_for_later() || to.is_save_for_later() {
            self.by.require_feature(Feature::SaveForLater)?;
        }
        let wanted = self.items.variants();
        let mut copied = Vec::new();
        let leaving = working_set::read(tx, &self.by, &mut from, &wanted).await?;
        let stored = working_set::stored(&leaving.variants);
        merge_journal::record(tx, self.by.store_id(), &from, &stored).await?;
        if !stored.is_empty() && !leaving.copies.is_empty() {
            // The other list may be one of these copies, and has changed.
            copied = copy::copy_before_change(tx, leaving.copies, &stored, &self.moment).await?;
            ((_, _), (to, _)) = self.lock(tx).await?;
        }
        let arriving = working_set::read(tx, &self.by, &mut to, &wanted).await?;
        let mut plan = MovePlan::new(&self.by, &to, leaving.variants, arriving.variants);
        self.items.elements.iter().for_each(|element| plan.add(element));
        if plan.is_empty() {
            changes::record_all(tx, self.by.store_id(), &copied).await?;
            return Ok(plan.into_result(&self.by, to_access, &from, &to));
        }
        from.changed_by = editors::number(tx, &self.by, &from_access, &from.list_id).await?;
        to.changed_by = editors::number(tx, &self.by, &to_access, &to.list_id).await?;
        plan.apply(tx, &self.by, &mut from, &mut to, &self.moment).await?;
        copied.extend([&from, &to].map(|list| (list.shopper_id, changes::change(ChangeKind::Updated, list))));
        changes::record_all(tx, self.by.store_id(), &copied).await?;
        plan.record_events(tx, &self.by, &from, &to, &self.moment).await?;
        Ok(plan.into_result(&self.by, to_access, &from, &to))
    }
}

type Locked = (ListRow, Access);

impl MoveItems {
    /// Locks the lists in the order of their ids, so that calls in opposite directions do not deadlock.
    async fn lock<T: Tx>(&self, tx: &mut T) -> Result<(Locked, Locked)> {
        let from = self.from.list.find(tx, &self.by).await?.list_id;
        let to = self.to.list.find(tx, &self.by).await?.list_id;
        if from == to {
            return Err(Error::invalid("tolid", "must not be the same list as fromlid"));
        }
        if from < to {
            let from = access::lock(tx, &self.by, &self.from, Right::Edit).await?;
            Ok((from, access::lock(tx, &self.by, &self.to, Right::Edit).await?))
        } else {
            let to = access::lock(tx, &self.by, &self.to, Right::Edit).await?;
            Ok((access::lock(tx, &self.by, &self.from, Right::Edit).await?, to))
        }
    }
}

/// The outcome of each element.
#[derive(Default)]
struct MovePlan {
    leaving: Variants,
    arriving: Variants,
    max_items: i64,
    count: i64,
    /// Variants to move, in the order of the call.
    moved: Vec<i64>,
    /// Variants that the other list has already.
    already: Vec<i64>,
    seen: HashSet<i64>,
    failed: Vec<FailedItem>,
}

impl MovePlan {
    fn new(by: &Shopper, to: &ListRow, leaving: Variants, arriving: Variants) -> Self {
        let max_items = by.store().settings.max_items;
        Self { leaving, arriving, max_items, count: to.item_count, ..Self::default() }
    }

    fn is_empty(&self) -> bool {
        self.moved.is_empty() && self.already.is_empty()
    }

    fn item(&self, input: &ItemInput) -> Option<&ItemState> {
        let item = self.leaving.get(&input.variant_id)?.item.as_ref()?;
        input.product_id.is_none_or(|product_id| product_id == item.product_id).then_some(item)
    }

    fn add(&mut self, element: &std::result::Result<ItemInput, Box<FailedItem>>) {
        let input = match element {
            Ok(input) => input,
            Err(failed) => return self.failed.push(FailedItem::clone(failed)),
        };
        let variant_id = input.variant_id;
        if self.seen.contains(&variant_id) {
            return;
        }
        if self.item(input).is_none() {
            let message = "this variant is not in fromlid: fetch the list, since it may have been moved or deleted";
            return self.failed.push(*input.failed(Code::ItemNotFound, message));
        }
        if self.arriving.get(&variant_id).is_some_and(|variant| variant.item.is_some()) {
            self.already.push(variant_id);
        } else if self.count < self.max_items {
            self.count += 1;
            self.moved.push(variant_id);
        } else {
            let message = format!("a list can have at most {} items: delete some of tolid first", self.max_items);
            return self.failed.push(*input.failed(Code::LimitReached, message));
        }
        self.seen.insert(variant_id);
    }

    async fn apply<T: Tx>(
        &mut self,
        tx: &mut T,
        by: &Shopper,
        from: &mut ListRow,
        to: &mut ListRow,
        moment: &Moment,
    ) -> Result<()> {
        let items: Vec<(i64, ItemState)> = self.take();
        // Items keep their times, so the list's time must not be before them.
        let newest = items.iter().map(|(_, item)| item.added_at).max().unwrap_or(Millis::MIN);
        from.updated_at = moment.after(from.updated_at);
        to.updated_at = moment.after(to.updated_at.max(newest));
        let device = Some(by.device()).filter(|device| *device != to.device).map(str::to_owned);
        for (variant_id, mut item) in items {
            item.seq = to.next_seq;
            item.updated_at = to.updated_at;
            item.device.clone_from(&device);
            item.added_by = to.changed_by;
            item.changed_by = to.changed_by;
            to.next_seq += 1;
            self.arriving.entry(variant_id).or_default().item = Some(item);
        }
        self.write(tx, by.store_id(), from, to).await
    }

    /// Takes the items to move, oldest first, so that they keep their order.
    fn take(&mut self) -> Vec<(i64, ItemState)> {
        let mut items: Vec<(i64, ItemState)> = Vec::with_capacity(self.moved.len());
        for variant_id in &self.moved {
            let item = self.leaving.get_mut(variant_id).and_then(|variant| variant.item.take());
            items.extend(item.map(|item| (*variant_id, item)));
        }
        items.sort_unstable_by_key(|(_, item)| (item.added_at, item.seq));
        items
    }

    async fn write<T: Tx>(&self, tx: &mut T, store_id: i64, from: &mut ListRow, to: &mut ListRow) -> Result<()> {
        let (from_id, to_id) = (from.list_id.into_bytes(), to.list_id.into_bytes());
        let leave: Vec<[Arg<'_>; 3]> =
            self.already.iter().map(|variant| [store_id.into(), (&from_id).into(), (*variant).into()]).collect();
        let arrived: Vec<(i64, &ItemState, String)> = self
            .moved
            .iter()
            .filter_map(|variant_id| Some((*variant_id, self.arriving.get(variant_id)?.item.as_ref()?)))
            .map(|(variant_id, item)| (variant_id, item, item.members(variant_id)))
            .collect();
        let mut rows: Vec<[Arg<'_>; 8]> = Vec::with_capacity(arrived.len());
        let (mut leaving, mut arriving) = (Changes::new(), Changes::new());
        for variant_id in self.moved.iter().chain(&self.already) {
            let stored = self.leaving.get(variant_id).and_then(|variant| variant.stored.as_ref());
            stored.into_iter().for_each(|item| *leaving.entry(item.product_id).or_default() -= 1);
        }
        for (variant_id, item, members) in &arrived {
            *arriving.entry(item.product_id).or_default() += 1;
            rows.push([
                (&to_id).into(),
                item.seq.into(),
                members.into(),
                item.device.as_ref().into(),
                item.changed_by.into(),
                store_id.into(),
                (&from_id).into(),
                (*variant_id).into(),
            ]);
        }
        let mut batch: Vec<Bound<'_>> = rows.iter().map(|row| MOVE.bind(row)).collect();
        batch.extend(leave.iter().map(|key| change::DELETE.bind(key)));
        tx.execute_all(&batch).await?;
        wishes::apply(tx, store_id.into(), &to_id, &arriving).await?;
        wishes::apply(tx, store_id.into(), &from_id, &leaving).await?;
        if from.comment_count > 0 {
            if from.shopper_id == to.shopper_id {
                let comments = self.move_comments(tx, store_id, &from_id, &to_id).await?;
                from.comment_count -= comments;
                to.comment_count += comments;
            } else {
                from.comment_count -= self.delete_comments(tx, store_id, &from_id).await?;
            }
        }
        let left = i64::try_from(batch.len()).map_err(Error::internal)?;
        from.item_count -= left;
        to.item_count += i64::try_from(rows.len()).map_err(Error::internal)?;
        for list in [from, to] {
            list.version += 1;
            tx.execute(change::TOUCH.bind(&change::touch(list, store_id, list.list_id.as_bytes()))).await?;
        }
        Ok(())
    }

    /// Moves the comments with their items. Returns how many.
    async fn move_comments<T: Tx>(&self, tx: &mut T, store_id: i64, from: &[u8; 16], to: &[u8; 16]) -> Result<i64> {
        let variants = self.moved.iter().chain(&self.already);
        let keys: Vec<[Arg<'_>; 4]> =
            variants.map(|variant| [to.into(), store_id.into(), from.into(), (*variant).into()]).collect();
        let batch: Vec<Bound<'_>> = keys.iter().map(|key| MOVE_COMMENTS.bind(key)).collect();
        let comments: u64 = tx.execute_all(&batch).await?.iter().sum();
        i64::try_from(comments).map_err(Error::internal)
    }

    /// Deletes the comments, since another owner would see the addresses of people who wrote to this one. Returns how many.
    async fn delete_comments<T: Tx>(&self, tx: &mut T, store_id: i64, from: &[u8; 16]) -> Result<i64> {
        let variants = self.moved.iter().chain(&self.already);
        let keys: Vec<[Arg<'_>; 3]> =
            variants.map(|variant| [store_id.into(), from.into(), (*variant).into()]).collect();
        let batch: Vec<Bound<'_>> = keys.iter().map(|key| change::DELETE_COMMENTS.bind(key)).collect();
        let comments: u64 = tx.execute_all(&batch).await?.iter().sum();
        i64::try_from(comments).map_err(Error::internal)
    }

    /// Records that items left one list, and that those which it did not have were added to the other.
    async fn record_events<T: Tx>(
        &self,
        tx: &mut T,
        by: &Shopper,
        from: &ListRow,
        to: &ListRow,
        moment: &Moment,
    ) -> Result<()> {
        if let Some(mut events) = ListEvents::begin(tx, by, from, &[EventType::ItemRemoved]).await? {
            let list = events.with_editors(from);
            for variant_id in self.moved.iter().chain(&self.already) {
                let variant = self.leaving.get(variant_id);
                let Some((variant, item)) = variant.and_then(|it| Some((it, it.stored.as_ref()?))) else { continue };
                let record = variant.encode(&events.view(), &list, *variant_id, item);
                events.add(EventType::ItemRemoved, &list, record);
            }
            events.save(tx, moment).await?;
        }
        if let Some(mut events) = ListEvents::begin(tx, by, to, &[EventType::ItemAdded]).await? {
            let list = events.with_editors(to);
            for variant_id in &self.moved {
                let record = working_set::encode(&events.view(), &list, &self.arriving, *variant_id);
                events.add(EventType::ItemAdded, &list, record);
            }
            events.save(tx, moment).await?;
        }
        Ok(())
    }

    fn into_result(self, by: &Shopper, access: Access, from: &ListRow, to: &ListRow) -> Moved {
        let view = View::new(by, access);
        let records = |variants: &[i64]| -> Vec<Vec<u8>> {
            variants.iter().map(|variant| working_set::encode(&view, to, &self.arriving, *variant)).collect()
        };
        Moved {
            moved: records(&self.moved),
            already: records(&self.already),
            failed: self.failed,
            from_version: from.version,
            to_version: to.version,
        }
    }
}

statements! {
    MOVE = "update items set list_id = $1, seq = $2, members = $3, device = $4, added_by = $5, changed_by = $5
            where store_id = $6 and list_id = $7 and variant_id = $8";
    MOVE_COMMENTS = "update comments set list_id = $1 where store_id = $2 and list_id = $3 and variant_id = $4";
}
