//! Copies the items of a list to a new one in the background, in small transactions that each store the progress: any node
//! can resume, and no item is copied twice. Items that change meanwhile are copied first; a list that is deleted meanwhile
//! keeps its items until they are copied.

use std::sync::Arc;

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write};

use crate::catalog::availability::Availability;
use crate::catalog::shown_product::ShownProduct;
use crate::decode::uuid;
use crate::error::{Code, Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::changes::{self, ChangeKind, ListChange};
use crate::lists::events::ListEvents;
use crate::lists::item_members::ItemMembers;
use crate::lists::row::{self, ListRow};
use crate::lists::view::ItemRecord;
use crate::lists::wishes::{self, Changes};
use crate::moment::{Millis, Moment};
use crate::operator::Operator;
use crate::stores::record::{self, StoreRecord};
use crate::webhooks::event_type::EventType;
use crate::webhooks::events::wants;

/// Items per transaction.
pub(crate) const BATCH: i64 = 500;

/// Pending copies per shopper. A change of items first copies them to all of their owner's, so they must be few.
const MAX_PENDING_COPIES: i64 = 4;

/// Ids 0 and 1 of a call belong to the list that it creates.
const FIRST_ITEM_ID: usize = 2;

/// The progress of a copy.
pub(crate) struct CopyProgress {
    source_id: Uuid,
    /// Items added after the copy was requested have this number or a higher one.
    before_seq: i64,
    /// Time and number of the last item that was read.
    at: (Millis, i64),
    seed: [u8; 32],
}

impl FromRow for CopyProgress {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            source_id: uuid(row, 0)?,
            before_seq: row.int(1)?,
            at: (row.int(2)?, row.int(3)?),
            seed: row.blob(4)?.try_into().map_err(wishbone_storage::Error::bug)?,
        })
    }
}

impl CopyProgress {
    pub(crate) fn of(source: &ListRow, seed: [u8; 32]) -> Self {
        let (source_id, before_seq) = (source.list_id, source.next_seq);
        Self { source_id, before_seq, at: (Millis::MIN, i64::MIN), seed }
    }

    pub(crate) async fn start<T: Tx>(&self, tx: &mut T, by: &Shopper, list: &ListRow, now: Millis) -> Result<()> {
        let owner = [by.store_id().into(), (&by.id().0).into()];
        if tx.first::<i64>(COUNT.bind(&owner)).await?.unwrap_or(0) >= MAX_PENDING_COPIES {
            let rule = format!("{MAX_PENDING_COPIES} lists are still being copied: retry when one of them is complete");
            return Err(Error::new(Code::LimitReached, rule));
        }
        tx.execute(START.bind(&[
            owner[0],
            list.list_id.as_bytes().into(),
            owner[1],
            self.source_id.as_bytes().into(),
            self.before_seq.into(),
            self.at.0.into(),
            self.at.1.into(),
            (&self.seed).into(),
            now.into(),
        ]))
        .await?;
        Ok(())
    }

    /// Copies the next items into a locked list. Returns whether there may be more. Variants that the list has already are
    /// skipped.
    pub(crate) async fn advance<T: Tx>(
        &mut self,
        tx: &mut T,
        store_id: i64,
        list: &mut ListRow,
        events: Option<&mut ListEvents>,
    ) -> Result<bool> {
        let source_id = self.source_id.into_bytes();
        let next = [
            store_id.into(),
            (&source_id).into(),
            self.at.0.into(),
            self.at.1.into(),
            self.before_seq.into(),
            BATCH.into(),
        ];
        let items: Vec<CopiedItem> = tx.rows(NEXT.bind(&next)).await?;
        let Some(last) = items.last() else { return Ok(false) };
        self.at = (last.added_at, last.seq);
        self.insert(tx, store_id, list, &items, events).await?;
        Ok(items.len() == usize::try_from(BATCH).map_err(Error::internal)?)
    }

    /// Copies the items of some variants before it is their turn, because they are about to change.
    async fn copy_variants<T: Tx>(
        &self,
        tx: &mut T,
        store_id: i64,
        list: &mut ListRow,
        variants: &[i64],
        events: Option<&mut ListEvents>,
    ) -> Result<()> {
        let source_id = self.source_id.into_bytes();
        let [at_added, at_seq, before_seq]: [Arg<'_>; 3] = [self.at.0.into(), self.at.1.into(), self.before_seq.into()];
        let keys: Vec<[Arg<'_>; 6]> = variants
            .iter()
            .map(|variant| [store_id.into(), (*variant).into(), (&source_id).into(), at_added, at_seq, before_seq])
            .collect();
        let batch: Vec<Bound<'_>> = keys.iter().map(|key| OF_VARIANT.bind(key)).collect();
        let mut items = Vec::with_capacity(variants.len());
        tx.query_all(&batch, &mut |_, row| {
            items.push(CopiedItem::from_row(row)?);
            Ok(())
        })
        .await?;
        self.insert(tx, store_id, list, &items, events).await
    }

    /// Inserts items into a locked list. They keep their numbers, and so their order, whenever they are copied.
    async fn insert<T: Tx>(
        &self,
        tx: &mut T,
        store_id: i64,
        list: &mut ListRow,
        items: &[CopiedItem],
        events: Option<&mut ListEvents>,
    ) -> Result<()> {
        let list_id = list.list_id.into_bytes();
        let ids = Moment { now: 0, seed: self.seed };
        let id = |item: &CopiedItem| Ok(ids.id(FIRST_ITEM_ID + usize::try_from(item.seq).map_err(Error::internal)?));
        let ids = items.iter().map(id).collect::<Result<Vec<Uuid>>>()?;
        let members: Vec<String> = items.iter().zip(&ids).map(|(item, id)| item.members(*id)).collect();
        let rows: Vec<[Arg<'_>; 10]> = items
            .iter()
            .zip(&members)
            .map(|(item, members)| {
                [
                    store_id.into(),
                    (&list_id).into(),
                    item.added_at.into(),
                    item.seq.into(),
                    members.into(),
                    item.variant_id.into(),
                    item.product_id.into(),
                    item.given.as_ref().into(),
                    item.given_price.into(),
                    item.given_title_key.as_ref().into(),
                ]
            })
            .collect();
        let batch: Vec<Bound<'_>> = rows.iter().map(|row| INSERT.bind(row)).collect();
        let inserted = tx.execute_all(&batch).await?;
        list.item_count += i64::try_from(inserted.iter().sum::<u64>()).map_err(Error::internal)?;
        let mut wishes = Changes::new();
        for (item, _) in items.iter().zip(&inserted).filter(|(_, inserted)| **inserted > 0) {
            *wishes.entry(item.product_id).or_default() += 1;
        }
        wishes::apply(tx, store_id.into(), &list_id, &wishes).await?;
        if let Some(events) = events.filter(|events| events.wants(EventType::ItemAdded)) {
            let added = items.iter().zip(&ids).zip(&inserted).filter(|(_, inserted)| **inserted > 0);
            add_events(tx, store_id, list, &added.map(|(item, _)| item).collect::<Vec<_>>(), events).await?;
        }
        Ok(())
    }
}

/// Adds an event for each copied item, with the catalogue's product fields.
async fn add_events<T: Tx>(
    tx: &mut T,
    store_id: i64,
    list: &ListRow,
    items: &[(&CopiedItem, &Uuid)],
    events: &mut ListEvents,
) -> Result<()> {
    let keys: Vec<[Arg<'_>; 2]> = items.iter().map(|(item, _)| [store_id.into(), item.variant_id.into()]).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| PRODUCT.bind(key)).collect();
    let low_stock = events.view().low_stock();
    let mut known: Vec<Option<(String, Option<Availability>)>> = vec![None; items.len()];
    tx.query_all(&batch, &mut |number, row| {
        known[number] = Some((row.text(0)?.to_owned(), Availability::from_columns(row, 1, low_stock)?));
        Ok(())
    })
    .await?;
    for ((item, id), known) in items.iter().zip(&known) {
        let members = item.members(**id);
        let record = ItemRecord { members: members.as_bytes(), device: None, added_by: None, changed_by: None };
        let product = match known {
            Some((fields, availability)) => ShownProduct { fields: Some(fields), availability: *availability },
            None => ShownProduct { fields: item.given.as_deref(), availability: None },
        };
        let mut data = Vec::new();
        events.view().write_item(&mut data, list, &record, &product);
        events.add(EventType::ItemAdded, list, data);
    }
    Ok(())
}

/// An item of the source list.
struct CopiedItem {
    added_at: Millis,
    seq: i64,
    variant_id: i64,
    product_id: i64,
    updated_at: Millis,
    attributes: String,
    given: Option<String>,
    given_price: Option<f64>,
    given_title_key: Option<Vec<u8>>,
}

impl CopiedItem {
    /// The encoded members of the copy.
    fn members(&self, item_id: Uuid) -> String {
        let Self { variant_id, product_id, added_at, updated_at, .. } = *self;
        ItemMembers { item_id, variant_id, product_id, attributes: &self.attributes, added_at, updated_at }.encode()
    }
}

impl FromRow for CopiedItem {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let item = ItemMembers::decode(row.text(0)?)?;
        Ok(Self {
            added_at: item.added_at,
            seq: row.int(1)?,
            variant_id: item.variant_id,
            product_id: item.product_id,
            updated_at: item.updated_at,
            attributes: item.attributes.to_owned(),
            given: row.opt_text(2)?.map(str::to_owned),
            given_price: row.opt_double(3)?,
            given_title_key: row.opt_blob(4)?.map(<[u8]>::to_owned),
        })
    }
}

/// A list that is still being copied to.
#[derive(Clone, Copy, Debug)]
pub struct PendingCopy {
    store_id: i64,
    list_id: Uuid,
}

impl PendingCopy {
    /// The list that is copied to.
    pub fn list_id(&self) -> Uuid {
        self.list_id
    }
}

impl FromRow for PendingCopy {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { store_id: row.int(0)?, list_id: uuid(row, 1)? })
    }
}

/// Finds the oldest pending copies of a store.
pub struct FindCopies {
    pub by: Operator,
    pub store_id: i64,
    pub limit: i64,
}

impl Read for FindCopies {
    const NAME: &'static str = "find_copies";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<PendingCopy>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(PENDING.bind(&[self.store_id.into(), self.limit.into()])).await?)
    }
}

/// Copies the next items of a pending copy. Returns whether there may be more.
pub struct CopyItems {
    pub by: Operator,
    pub copy: PendingCopy,
    pub now: Millis,
}

impl Write for CopyItems {
    const NAME: &'static str = "copy_items";
    type Out = bool;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<bool> {
        copy_items(tx, self.copy, self.now).await
    }
}

/// Locks the list that is copied to, for a step. `None` if the copy is complete, or the list is deleted.
async fn lock<T: Tx>(tx: &mut T, pending: PendingCopy, now: Millis) -> Result<Option<(ListRow, CopyProgress)>> {
    let key = [pending.store_id.into(), pending.list_id.as_bytes().into()];
    // A concurrent call waits here for the first, then continues from its progress.
    let Some(mut list) = tx.first::<ListRow>(row::LOCK.bind(&key)).await? else {
        tx.execute(FINISH.bind(&key)).await?;
        return Ok(None);
    };
    list.version += 1;
    list.updated_at = now.max(list.updated_at + 1);
    Ok(tx.first::<CopyProgress>(FIND.bind(&key)).await?.map(|copy| (list, copy)))
}

async fn copy_items<T: Tx>(tx: &mut T, pending: PendingCopy, now: Millis) -> Result<bool> {
    let PendingCopy { store_id, list_id } = pending;
    let key = [store_id.into(), list_id.as_bytes().into()];
    let Some((mut list, mut copy)) = lock(tx, pending, now).await? else { return Ok(false) };
    let mut events = events_of(tx, store_id, &list).await?;
    let more = copy.advance(tx, store_id, &mut list, events.as_mut()).await?;
    if more {
        tx.execute(SAVE_PROGRESS.bind(&[copy.at.0.into(), copy.at.1.into(), key[0], key[1]])).await?;
    } else {
        tx.execute(FINISH.bind(&key)).await?;
    }
    list.copying = more;
    save(tx, store_id, &list).await?;
    changes::record(tx, store_id, ChangeKind::Updated, &list).await?;
    if let Some(mut events) = events {
        if !more {
            let record = events.list_record(&list);
            events.add(EventType::ListUpdated, &list, record);
        }
        events.save(tx, &Moment { now, seed: copy.seed }).await?;
    }
    Ok(more)
}

/// The events of a step, if the store wants any.
pub(crate) async fn events_of<T: Tx>(tx: &mut T, store_id: i64, list: &ListRow) -> Result<Option<ListEvents>> {
    let store: Option<StoreRecord> = tx.first(record::BY_ID.bind(&[store_id.into()])).await?;
    let wanted =
        |store: &StoreRecord| [EventType::ItemAdded, EventType::ListUpdated].iter().any(|it| wants(store, *it));
    match store.filter(wanted) {
        Some(store) => ListEvents::of_job(tx, &Arc::new(store), list).await.map(Some),
        None => Ok(None),
    }
}

/// Copies items of a locked list before they change: a duplicate has the items as they were when it was requested. Returns
/// the changed lists and their owners, to be recorded at the end of the write.
pub(crate) async fn copy_before_change<T: Tx>(
    tx: &mut T,
    mut copies: Vec<PendingCopy>,
    variants: &[i64],
    moment: &Moment,
) -> Result<Vec<([u8; 16], ListChange)>> {
    let mut changed = Vec::new();
    copies.sort_unstable_by_key(|copy| copy.list_id);
    for (number, pending) in copies.into_iter().enumerate() {
        let Some((mut list, copy)) = lock(tx, pending, moment.now).await? else { continue };
        let mut events = events_of(tx, pending.store_id, &list).await?;
        copy.copy_variants(tx, pending.store_id, &mut list, variants, events.as_mut()).await?;
        save(tx, pending.store_id, &list).await?;
        changed.push((list.shopper_id, changes::change(ChangeKind::Updated, &list)));
        if let Some(events) = events {
            events.save(tx, &moment.part(number)).await?;
        }
    }
    Ok(changed)
}

/// True if a list is still being copied from.
pub(crate) async fn is_source<T: Tx>(tx: &mut T, list: &[Arg<'_>; 2]) -> Result<bool> {
    Ok(tx.first::<i64>(OF_SOURCE.bind(list)).await?.is_some())
}

pub(crate) async fn save<T: Tx>(tx: &mut T, store_id: i64, list: &ListRow) -> Result<()> {
    tx.execute(SAVE.bind(&[
        list.version.into(),
        list.updated_at.into(),
        list.item_count.into(),
        list.next_seq.into(),
        list.copying.into(),
        store_id.into(),
        list.list_id.as_bytes().into(),
    ]))
    .await?;
    Ok(())
}

statements! {
    COUNT = "select count(*) from copies where store_id = $1 and shopper_id = $2";
    pub(crate) OF_SHOPPER = "select store_id, list_id from copies where store_id = $1 and shopper_id = $2";
    pub(crate) FROM_SOURCE = "select store_id, list_id from copies where store_id = $1 and shopper_id = $2 and source_id = $3";
    PENDING = "select store_id, list_id from copies where store_id = $1 order by started_at, list_id limit $2";
    OF_SOURCE = "select 1 from copies where store_id = $1 and source_id = $2 limit 1";
    START = "insert into copies (store_id, list_id, shopper_id, source_id, before_seq, at_added, at_seq, seed, started_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    FIND = "select source_id, before_seq, at_added, at_seq, seed from copies where store_id = $1 and list_id = $2";
    SAVE_PROGRESS = "update copies set at_added = $1, at_seq = $2 where store_id = $3 and list_id = $4";
    pub(crate) FINISH = "delete from copies where store_id = $1 and list_id = $2";
    PRODUCT = "select fields, stock, deleted from products where store_id = $1 and variant_id = $2";
    NEXT = "select members, seq, given, given_price, given_title_key
            from items where store_id = $1 and list_id = $2 and (added_at, seq) > ($3, $4) and seq < $5
            order by added_at, seq limit $6";
    OF_VARIANT = "select members, seq, given, given_price, given_title_key
            from items where store_id = $1 and variant_id = $2 and list_id = $3 and (added_at, seq) > ($4, $5) and seq < $6";
    INSERT = "insert into items (store_id, list_id, added_at, seq, members, variant_id, product_id, given, given_price,
                                 given_title_key)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
              on conflict (store_id, list_id, variant_id) do nothing";
    SAVE = "update lists set version = $1, updated_at = $2, item_count = $3, next_seq = $4, copying = $5
            where store_id = $6 and list_id = $7";
}
