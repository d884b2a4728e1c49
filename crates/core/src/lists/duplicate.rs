//! Duplicating a list. A short one is complete when the call returns, a long one is copied in the background.

use uuid::Uuid;
use wishbone_storage::{Query, ROW_OVERHEAD, Read, Tx, Write};

use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::identity::shoppers;
use crate::lists::access::{self, ListRef, ListTarget, Right};
use crate::lists::changes::{self, ChangeKind};
use crate::lists::copy::{BATCH, CopyProgress, save};
use crate::lists::create::{self, ListDetails};
use crate::lists::events::ListEvents;
use crate::lists::row::{ListRow, WISHLIST};
use crate::moment::Moment;
use crate::webhooks::event_type::EventType;

/// Creates a list with the items of another that the caller may read.
pub struct DuplicateList {
    pub by: Shopper,
    pub from: ListRef,
    pub list_type: Option<String>,
    /// `None` takes the value of the other list.
    pub details: ListDetails,
    pub moment: Moment,
}

impl Write for DuplicateList {
    const NAME: &'static str = "duplicate_list";
    type Out = ListRow;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<ListRow> {
        let (by, moment, store_id) = (&self.by, &self.moment, self.by.store_id());
        let shopper = shoppers::lock_caller(tx, by, moment.now).await?;
        let from = ListTarget { list: self.from.clone(), if_version: None };
        let (source, _) = access::lock(tx, by, &from, Right::Read).await?;
        let mut list =
            create::create(tx, by, &shopper, self.list_type(&source), &self.details(&source)?, moment).await?;
        // Items keep their times, so the list's time must not be before them.
        list.updated_at = moment.now.max(source.updated_at);
        // They keep their numbers too.
        list.next_seq = source.next_seq;
        let types = [EventType::ListCreated, EventType::ItemAdded];
        let mut events = ListEvents::begin(tx, by, &list, &types).await?;
        let mut copy = CopyProgress::of(&source, moment.seed);
        if source.item_count > BATCH {
            copy.start(tx, by, &list, moment.now).await?;
            list.copying = true;
        } else {
            copy.advance(tx, store_id, &mut list, events.as_mut()).await?;
        }
        save(tx, store_id, &list).await?;
        changes::record(tx, store_id, ChangeKind::Created, &list).await?;
        if let Some(mut events) = events {
            events.add_created(&list);
            events.save(tx, moment).await?;
        }
        Ok(list)
    }
}

/// Measures a list: about how many bytes a duplicate takes, if it would be copied in the background.
pub struct MeasureDuplicate {
    pub by: Shopper,
    pub from: ListRef,
}

impl Read for MeasureDuplicate {
    const NAME: &'static str = "measure_duplicate";
    type Out = u64;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<u64> {
        let store_id = self.by.store_id();
        let found = self.from.find(query, &self.by).await?;
        let overhead = i64::try_from(ROW_OVERHEAD).map_err(Error::internal)?;
        let args = [overhead.into(), store_id.into(), found.list_id.as_bytes().into(), BATCH.into()];
        let bytes: Option<i64> = query.first(BYTES.bind(&args)).await?;
        u64::try_from(bytes.unwrap_or(0)).map_err(Error::internal)
    }
}

statements! {
    BYTES = "select sum(octet_length(members) + coalesce(octet_length(given), 0) + $1) from items
             where store_id = $2 and list_id = $3 having count(*) > $4";
}

impl DuplicateList {
    /// The id of the new list.
    pub fn list_id(&self) -> Uuid {
        create::list_id(&self.moment)
    }

    /// A shopper has one save-for-later list, so its copy is a wishlist.
    fn list_type<'a>(&'a self, source: &'a ListRow) -> &'a str {
        match &self.list_type {
            Some(given) => given,
            None if source.is_save_for_later() => WISHLIST,
            None => &source.list_type,
        }
    }

    fn details(&self, source: &ListRow) -> Result<ListDetails> {
        let mut details = self.details.clone();
        details.note = details.note.or_else(|| source.note.clone());
        details.description = details.description.or_else(|| source.description.clone());
        if let (None, Some(properties)) = (&details.properties, &source.properties) {
            details.properties = Some(serde_json::from_str(properties).map_err(Error::internal)?);
        }
        Ok(details)
    }
}
