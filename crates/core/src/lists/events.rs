//! Events about lists and their items, with records as the owner of the list sees them.

use std::slice::from_mut;
use std::sync::Arc;

use wishbone_storage::{Query, Tx};

use crate::error::Result;
use crate::identity::caller::Shopper;
use crate::identity::profile;
use crate::lists::editors;
use crate::lists::row::{Editor, ListRow};
use crate::lists::view::{Parts, View};
use crate::moment::{Millis, Moment};
use crate::stores::record::StoreRecord;
use crate::tokens::ShopperId;
use crate::webhooks::event_type::EventType;
use crate::webhooks::events::{self, NewEvent, wants};

/// Records a change of a list as a whole, if the store wants it.
pub(crate) async fn record_list<T: Tx>(
    tx: &mut T,
    by: &Shopper,
    event_type: EventType,
    list: &ListRow,
    moment: &Moment,
) -> Result<()> {
    match ListEvents::begin(tx, by, list, &[event_type]).await? {
        None => Ok(()),
        Some(mut events) => {
            let data = events.list_record(list);
            // A deleted list keeps the time of its last change.
            let is_deleted = event_type == EventType::ListDeleted;
            let at = if is_deleted { moment.after(list.updated_at) } else { list.updated_at };
            events.push(event_type, list, (at, 0), data);
            events.save(tx, moment).await
        }
    }
}

/// Records that a list was shared, if the store wants it.
pub(crate) async fn record_share<T: Tx>(
    tx: &mut T,
    by: &Shopper,
    list: &ListRow,
    medium: &str,
    moment: &Moment,
) -> Result<()> {
    let Some(mut events) = ListEvents::begin(tx, by, list, &[EventType::ListShared]).await? else { return Ok(()) };
    let mut data = events.list_record(list);
    data.pop();
    data.extend_from_slice(b",\"medium\":");
    crate::json::string(&mut data, medium);
    data.push(b'}');
    // A share does not change the list: it comes after the last change, and before the next.
    let (at, order) = match list.updated_at {
        last if last < moment.now => (moment.now, events::BEFORE),
        last => (last, events::AFTER),
    };
    events.push(EventType::ListShared, list, (at, order), data);
    events.save(tx, moment).await
}

/// Events of one write about one list or its items.
pub(crate) struct ListEvents {
    owner: Shopper,
    editors: Vec<Editor>,
    new: Vec<NewEvent>,
}

impl ListEvents {
    /// `None` if the store wants none of these types. Only then does a caller pay for encoding records.
    pub(crate) async fn begin<Q: Query>(
        query: &mut Q,
        by: &Shopper,
        list: &ListRow,
        types: &[EventType],
    ) -> Result<Option<Self>> {
        if !types.iter().any(|event_type| wants(by.store(), *event_type)) {
            return Ok(None);
        }
        let owner = if by.id().0 == list.shopper_id { by.clone() } else { owner(query, by.store(), list).await? };
        Self::of_owner(query, owner, list).await.map(Some)
    }

    /// The events of a background job.
    pub(crate) async fn of_job<Q: Query>(query: &mut Q, store: &Arc<StoreRecord>, list: &ListRow) -> Result<Self> {
        let owner = owner(query, store, list).await?;
        Self::of_owner(query, owner, list).await
    }

    async fn of_owner<Q: Query>(query: &mut Q, owner: Shopper, list: &ListRow) -> Result<Self> {
        let mut list = list.clone();
        if list.editors.is_empty() {
            editors::load(query, owner.store_id(), from_mut(&mut list)).await?;
        }
        Ok(Self { owner, editors: list.editors, new: Vec::new() })
    }

    pub(crate) fn wants(&self, event_type: EventType) -> bool {
        wants(self.owner.store(), event_type)
    }

    /// The owner's view, to encode items with.
    pub(crate) fn view(&self) -> View<'_> {
        View::own(&self.owner)
    }

    /// The list with its editors, whose addresses the owner sees.
    pub(crate) fn with_editors(&self, list: &ListRow) -> ListRow {
        ListRow { editors: self.editors.clone(), ..list.clone() }
    }

    pub(crate) fn list_record(&self, list: &ListRow) -> Vec<u8> {
        let mut data = Vec::new();
        self.view().write_list(&mut data, &self.with_editors(list), &Parts::default());
        data
    }

    /// Adds an event about an item, at the time of the list's last change.
    pub(crate) fn add(&mut self, event_type: EventType, list: &ListRow, data: Vec<u8>) {
        self.push(event_type, list, (list.updated_at, 0), data);
    }

    /// Adds the creation of a list, before the events of its items.
    pub(crate) fn add_created(&mut self, list: &ListRow) {
        let data = self.list_record(list);
        self.push(EventType::ListCreated, list, (list.updated_at, events::BEFORE), data);
    }

    fn push(&mut self, event_type: EventType, list: &ListRow, (at, order): (Millis, i64), data: Vec<u8>) {
        let (subject, shopper) = (list.list_id.into_bytes(), Some(ShopperId(list.shopper_id)));
        self.new.push(NewEvent { event_type, subject, at, order, shopper, data });
    }

    pub(crate) async fn save<T: Tx>(self, tx: &mut T, moment: &Moment) -> Result<()> {
        events::record(tx, self.owner.store(), moment, &self.new).await
    }
}

/// The owner of a list, as the store sees them.
async fn owner<Q: Query>(query: &mut Q, store: &Arc<StoreRecord>, list: &ListRow) -> Result<Shopper> {
    let id = ShopperId(list.shopper_id);
    let profile = profile::find(query, store.store_id, &id).await?;
    Ok(Shopper::viewed(Arc::clone(store), id, profile))
}
