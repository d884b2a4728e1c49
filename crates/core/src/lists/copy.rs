//! Copies the items of a list to a new one in the background, in small transactions that each store the progress: any node
//! can resume, and no item is copied twice.

use std::sync::Arc;

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write};

use crate::decode::uuid;
use crate::error::{Code, Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::events::ListEvents;
use crate::lists::row::{self, ListRow};
use crate::lists::view::ItemRecord;
use crate::moment::{Millis, Moment};
use crate::operator::Operator;
use crate::stores::record::{self, StoreRecord};
use crate::tokens::ShopperId;
use crate::webhooks::event_type::EventType;
use crate::webhooks::events::wants;

/// Items per transaction.
pub(crate) const BATCH: i64 = 500;

/// Pending copies per shopper. A change of a list first finishes its owner's copies of it, so they must be few.
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
    looked_at: usize,
    seed: [u8; 32],
}

impl FromRow for CopyProgress {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            source_id: uuid(row, 0)?,
            before_seq: row.int(1)?,
            at: (row.int(2)?, row.int(3)?),
            looked_at: row.int(4)?.try_into().map_err(wishbone_storage::Error::bug)?,
            seed: row.blob(5)?.try_into().map_err(wishbone_storage::Error::bug)?,
        })
    }
}

impl CopyProgress {
    pub(crate) fn of(source: &ListRow, seed: [u8; 32]) -> Self {
        let (source_id, before_seq) = (source.list_id, source.next_seq);
        Self { source_id, before_seq, at: (Millis::MIN, i64::MIN), looked_at: 0, seed }
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
        let (source_id, list_id) = (self.source_id.into_bytes(), list.list_id.into_bytes());
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
        let ids = Moment { now: 0, seed: self.seed };
        let ids: Vec<Uuid> = (0..items.len()).map(|number| ids.id(FIRST_ITEM_ID + self.looked_at + number)).collect();
        self.looked_at += items.len();
        let mut rows: Vec<[Arg<'_>; 12]> = Vec::with_capacity(items.len());
        for (item, id) in items.iter().zip(&ids) {
            rows.push([
                store_id.into(),
                (&list_id).into(),
                item.added_at.into(),
                list.next_seq.into(),
                id.as_bytes().into(),
                item.variant_id.into(),
                item.product_id.into(),
                item.updated_at.into(),
                (&item.attributes).into(),
                item.given.as_ref().into(),
                item.given_price.into(),
                item.given_title_key.as_ref().into(),
            ]);
            list.next_seq += 1;
        }
        let batch: Vec<Bound<'_>> = rows.iter().map(|row| INSERT.bind(row)).collect();
        let inserted = tx.execute_all(&batch).await?;
        list.item_count += i64::try_from(inserted.iter().sum::<u64>()).map_err(Error::internal)?;
        if let Some(events) = events.filter(|events| events.wants(EventType::ItemAdded)) {
            let added = items.iter().zip(&ids).zip(&inserted).filter(|(_, inserted)| **inserted > 0);
            add_events(tx, store_id, list, &added.map(|(item, _)| item).collect::<Vec<_>>(), events).await?;
        }
        Ok(items.len() == usize::try_from(BATCH).map_err(Error::internal)?)
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
    let mut known: Vec<Option<String>> = vec![None; items.len()];
    tx.query_all(&batch, &mut |number, row| {
        known[number] = Some(row.text(0)?.to_owned());
        Ok(())
    })
    .await?;
    for ((item, id), fields) in items.iter().zip(&known) {
        let record = ItemRecord {
            item_id: **id,
            variant_id: item.variant_id,
            product_id: item.product_id,
            added_at: item.added_at,
            updated_at: item.updated_at,
            device: None,
            added_by: None,
            changed_by: None,
            attributes: &item.attributes,
            fields: fields.as_deref().or(item.given.as_deref()),
        };
        let mut data = Vec::new();
        events.view().write_item(&mut data, list, &record);
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

impl FromRow for CopiedItem {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            added_at: row.int(0)?,
            seq: row.int(1)?,
            variant_id: row.int(2)?,
            product_id: row.int(3)?,
            updated_at: row.int(4)?,
            attributes: row.text(5)?.to_owned(),
            given: row.opt_text(6)?.map(str::to_owned),
            given_price: row.opt_double(7)?,
            given_title_key: row.opt_blob(8)?.map(<[u8]>::to_owned),
        })
    }
}

/// A list that is still being copied to.
#[derive(Clone, Copy, Debug)]
pub struct PendingCopy {
    store_id: i64,
    list_id: Uuid,
}

impl FromRow for PendingCopy {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { store_id: row.int(0)?, list_id: uuid(row, 1)? })
    }
}

/// Finds the oldest pending copies of all stores.
pub struct FindCopies {
    pub by: Operator,
    pub limit: i64,
}

impl Read for FindCopies {
    const NAME: &'static str = "find_copies";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<PendingCopy>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(PENDING.bind(&[self.limit.into()])).await?)
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

async fn copy_items<T: Tx>(tx: &mut T, pending: PendingCopy, now: Millis) -> Result<bool> {
    let PendingCopy { store_id, list_id } = pending;
    let key = [store_id.into(), list_id.as_bytes().into()];
    // A concurrent call waits here for the first, then continues from its progress.
    let Some(mut list) = tx.first::<ListRow>(row::LOCK.bind(&key)).await? else {
        tx.execute(FINISH.bind(&key)).await?;
        return Ok(false);
    };
    let Some(mut copy) = tx.first::<CopyProgress>(FIND.bind(&key)).await? else { return Ok(false) };
    list.version += 1;
    list.updated_at = now.max(list.updated_at + 1);
    let mut events = events_of(tx, store_id, &list).await?;
    let more = copy.advance(tx, store_id, &mut list, events.as_mut()).await?;
    if more {
        let looked_at = i64::try_from(copy.looked_at).map_err(Error::internal)?;
        tx.execute(SAVE_PROGRESS.bind(&[copy.at.0.into(), copy.at.1.into(), looked_at.into(), key[0], key[1]])).await?;
    } else {
        tx.execute(FINISH.bind(&key)).await?;
    }
    list.copying = more;
    save(tx, store_id, &list).await?;
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
async fn events_of<T: Tx>(tx: &mut T, store_id: i64, list: &ListRow) -> Result<Option<ListEvents>> {
    let store: Option<StoreRecord> = tx.first(record::BY_ID.bind(&[store_id.into()])).await?;
    let wanted =
        |store: &StoreRecord| [EventType::ItemAdded, EventType::ListUpdated].iter().any(|it| wants(store, *it));
    match store.filter(wanted) {
        Some(store) => ListEvents::of_job(tx, &Arc::new(store), list).await.map(Some),
        None => Ok(None),
    }
}

/// Finishes all copies of a shopper whose row is locked, before a merge that may change their lists.
pub(crate) async fn finish_all<T: Tx>(tx: &mut T, store_id: i64, shopper: &ShopperId, now: Millis) -> Result<()> {
    let copies = tx.rows(OF_SHOPPER.bind(&[store_id.into(), (&shopper.0).into()])).await?;
    finish(tx, copies, now).await
}

/// Finishes the owner's copies of a locked list that is about to be deleted.
pub(crate) async fn finish_from<T: Tx>(tx: &mut T, store_id: i64, source: &ListRow, now: Millis) -> Result<()> {
    let args = [store_id.into(), (&source.shopper_id).into(), source.list_id.as_bytes().into()];
    let copies = tx.rows(FROM_SOURCE.bind(&args)).await?;
    finish(tx, copies, now).await
}

/// Finishes copies in this transaction. They are few, see [`MAX_PENDING_COPIES`].
pub(crate) async fn finish<T: Tx>(tx: &mut T, mut copies: Vec<PendingCopy>, now: Millis) -> Result<()> {
    copies.sort_unstable_by_key(|copy| copy.list_id);
    for copy in copies {
        while copy_items(tx, copy, now).await? {}
    }
    Ok(())
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
    OF_SHOPPER = "select store_id, list_id from copies where store_id = $1 and shopper_id = $2";
    pub(crate) FROM_SOURCE = "select store_id, list_id from copies where store_id = $1 and shopper_id = $2 and source_id = $3";
    PENDING = "select store_id, list_id from copies order by started_at, store_id, list_id limit $1";
    START = "insert into copies (store_id, list_id, shopper_id, source_id, before_seq, at_added, at_seq, looked_at,
                                 seed, started_at)
             values ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9)";
    FIND = "select source_id, before_seq, at_added, at_seq, looked_at, seed from copies
            where store_id = $1 and list_id = $2";
    SAVE_PROGRESS = "update copies set at_added = $1, at_seq = $2, looked_at = $3 where store_id = $4 and list_id = $5";
    pub(crate) FINISH = "delete from copies where store_id = $1 and list_id = $2";
    PRODUCT = "select fields from products where store_id = $1 and variant_id = $2";
    NEXT = "select added_at, seq, variant_id, product_id, updated_at, attributes, given, given_price, given_title_key
            from items where store_id = $1 and list_id = $2 and (added_at, seq) > ($3, $4) and seq < $5
            order by added_at, seq limit $6";
    INSERT = "insert into items (store_id, list_id, added_at, seq, item_id, variant_id, product_id, updated_at,
                                 attributes, given, given_price, given_title_key)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
              on conflict (store_id, list_id, variant_id) do nothing";
    SAVE = "update lists set version = $1, updated_at = $2, item_count = $3, next_seq = $4, copying = $5
            where store_id = $6 and list_id = $7";
}
