//! Events of a merge and of its undo: the merge itself, and the lists that it changed. Items are not reported one by one, since either may
//! move thousands.

use std::collections::BTreeSet;
use std::sync::Arc;

use uuid::Uuid;
use wishbone_storage::{FromRow, Query, Row, Tx};

use crate::decode::uuid;
use crate::error::Result;
use crate::identity::caller::Shopper;
use crate::identity::profile;
use crate::json::{Object, array};
use crate::lists::row::{self, ListRow, collect_row};
use crate::lists::view::{Parts, View};
use crate::moment::Moment;
use crate::stores::record::StoreRecord;
use crate::tokens::ShopperId;
use crate::webhooks::event_type::EventType;
use crate::webhooks::events::{self, NewEvent, wants};

const TYPES: [EventType; 3] = [EventType::ShopperMerged, EventType::ListUpdated, EventType::ListDeleted];

/// The participants, and the guest's lists that may cease to exist, as they were before.
pub(crate) struct MergeEvents {
    guest: Shopper,
    shopper: Shopper,
    united: Vec<ListRow>,
}

impl MergeEvents {
    /// `None` if the store wants no event of a merge.
    pub(crate) async fn begin<Q: Query>(
        query: &mut Q,
        store: &Arc<StoreRecord>,
        guest: &ShopperId,
        shopper: &ShopperId,
        united: &[Uuid],
    ) -> Result<Option<Self>> {
        if !TYPES.iter().any(|event_type| wants(store, *event_type)) {
            return Ok(None);
        }
        let store_id = store.store_id;
        let united = find_lists(query, store_id, united).await?;
        let profiles = (profile::find(query, store_id, guest).await?, profile::find(query, store_id, shopper).await?);
        Ok(Some(Self {
            guest: Shopper::viewed(Arc::clone(store), *guest, profiles.0),
            shopper: Shopper::viewed(Arc::clone(store), *shopper, profiles.1),
            united,
        }))
    }

    /// Records the lists that a step has changed, and those that it has deleted.
    pub(crate) async fn save_lists<T: Tx>(
        &self,
        tx: &mut T,
        changed: &[Uuid],
        deleted: &[Uuid],
        moment: &Moment,
    ) -> Result<()> {
        let store = self.shopper.store();
        let changed = find_lists(tx, store.store_id, changed).await?;
        let updated = changed.iter().map(|list| (EventType::ListUpdated, list, &self.shopper));
        let deleted = self.united.iter().filter(|list| deleted.contains(&list.list_id));
        let deleted = deleted.map(|list| (EventType::ListDeleted, list, &self.guest));
        let mut new = Vec::new();
        for (event_type, list, owner) in updated.chain(deleted) {
            // An event about the guest's list is the shopper's data from now on.
            let shopper = Some(*self.shopper.id());
            new.push(NewEvent { shopper, ..list_event(event_type, list, owner, moment) });
        }
        events::record(tx, store, moment, &new).await
    }

    /// Records the merge itself, with all lists that it has merged.
    pub(crate) async fn save_merge<T: Tx>(&self, tx: &mut T, moment: &Moment) -> Result<()> {
        let store = self.shopper.store();
        let guest = [store.store_id.into(), (&self.guest.id().0).into()];
        let lists: Vec<MergedList> = tx.rows(MERGED_LISTS.bind(&guest)).await?;
        let merge = NewEvent {
            event_type: EventType::ShopperMerged,
            subject: self.shopper.id().0,
            at: moment.now,
            order: 0,
            shopper: Some(*self.shopper.id()),
            data: self.merge_record(&lists),
        };
        // The lists of the last step have used the first ids.
        events::record(tx, store, &moment.part(1), &[merge]).await
    }

    fn merge_record(&self, lists: &[MergedList]) -> Vec<u8> {
        let store = self.shopper.store();
        let mut data = Vec::new();
        let mut record = Object::open(&mut data);
        record.text("pid", &store.pid);
        record.text("uid", self.shopper.uid());
        record.text("guestuid", self.guest.uid());
        array(record.key("lists"), lists, |out, MergedList(list, into)| {
            let mut record = Object::open(out);
            record.uuid("lid", list);
            if let Some(into) = into {
                record.uuid("into", into);
            }
            record.close();
        });
        record.close();
        data
    }
}

/// A list of the guest in the journal, and the list that it was united with.
struct MergedList(Uuid, Option<Uuid>);

impl FromRow for MergedList {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let into = row.opt_blob(1)?.map(Uuid::from_slice).transpose().map_err(wishbone_storage::Error::bug)?;
        Ok(Self(uuid(row, 0)?, into))
    }
}

/// Records the lists that an undo has changed. `lists` are those of the guest, each with the list that it had been united
/// with, if any.
pub(crate) async fn record_undo<T: Tx>(
    tx: &mut T,
    store: &Arc<StoreRecord>,
    (guest, shopper): (&ShopperId, &ShopperId),
    lists: &[(Uuid, Option<Uuid>)],
    moment: &Moment,
) -> Result<()> {
    if ![EventType::ListCreated, EventType::ListUpdated].iter().any(|event_type| wants(store, *event_type)) {
        return Ok(());
    }
    let store_id = store.store_id;
    let viewed = |id: &ShopperId, profile| Shopper::viewed(Arc::clone(store), *id, profile);
    let guest = viewed(guest, profile::find(tx, store_id, guest).await?);
    let shopper = viewed(shopper, profile::find(tx, store_id, shopper).await?);
    let ids: BTreeSet<Uuid> = lists.iter().flat_map(|(list, into)| [Some(*list), *into]).flatten().collect();
    let mut new = Vec::new();
    for list in find_lists(tx, store_id, &ids.into_iter().collect::<Vec<_>>()).await? {
        let was_united = lists.iter().any(|(id, into)| *id == list.list_id && into.is_some());
        let event_type = if was_united { EventType::ListCreated } else { EventType::ListUpdated };
        let owner = if list.shopper_id == guest.id().0 { &guest } else { &shopper };
        new.push(list_event(event_type, &list, owner, moment));
    }
    events::record(tx, store, moment, &new).await
}

/// An event about a list that may keep the time of its last change: it comes after it, and before the next.
fn list_event(event_type: EventType, list: &ListRow, owner: &Shopper, moment: &Moment) -> NewEvent {
    let mut data = Vec::new();
    View::own(owner).write_list(&mut data, list, &Parts::default());
    NewEvent {
        event_type,
        subject: list.list_id.into_bytes(),
        at: moment.after(list.updated_at),
        order: events::BEFORE,
        shopper: Some(*owner.id()),
        data,
    }
}

/// Reads lists with their editors.
async fn find_lists<Q: Query>(query: &mut Q, store_id: i64, ids: &[Uuid]) -> Result<Vec<ListRow>> {
    let keys: Vec<_> = ids.iter().map(|id| [store_id.into(), id.as_bytes().into()]).collect();
    let batch: Vec<_> = keys.iter().map(|key| row::FIND.bind(key)).collect();
    let mut lists = Vec::with_capacity(ids.len());
    query.query_all(&batch, &mut |_, row| collect_row(&mut lists, row)).await?;
    Ok(lists)
}

statements! {
    MERGED_LISTS = "select list_id, into_id from merged_lists where store_id = $1 and guest_id = $2 order by ordinal";
}
