//! The save-for-later list: one per shopper, created on first use.

use wishbone_storage::{Query, Read, Tx, Write};

use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::identity::shoppers;
use crate::lists::changes::{self, ChangeKind};
use crate::lists::create::{self, ListDetails};
use crate::lists::events::record_list;
use crate::lists::row::{ListRow, SAVE_FOR_LATER, SAVE_FOR_LATER_SHORT, collect_row, with_editors};
use crate::moment::Moment;
use crate::webhooks::event_type::EventType;

/// Finds or creates the caller's save-for-later list.
pub struct EnsureSaveForLater {
    pub by: Shopper,
    pub details: ListDetails,
    pub moment: Moment,
}

impl Write for EnsureSaveForLater {
    const NAME: &'static str = "ensure_save_for_later";
    type Out = ListRow;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<ListRow> {
        let shopper = shoppers::lock_caller(tx, &self.by, self.moment.now).await?;
        match find_save_for_later(tx, &self.by).await? {
            Some(list) => Ok(list),
            None => {
                let list = create::create(tx, &self.by, &shopper, SAVE_FOR_LATER, &self.details, &self.moment).await?;
                changes::record(tx, self.by.store_id(), ChangeKind::Created, &list).await?;
                record_list(tx, &self.by, EventType::ListCreated, &list, &self.moment).await?;
                Ok(list)
            }
        }
    }
}

/// Finds the caller's save-for-later list, if it exists.
pub struct FindSaveForLater {
    pub by: Shopper,
}

impl Read for FindSaveForLater {
    const NAME: &'static str = "find_save_for_later";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<ListRow>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        find_save_for_later(query, &self.by).await
    }
}

/// Finds the oldest list of the type that is not archived, else the oldest.
pub(crate) async fn find_save_for_later<Q: Query>(query: &mut Q, by: &Shopper) -> Result<Option<ListRow>> {
    let args = [by.store_id().into(), (&by.id().0).into(), SAVE_FOR_LATER.into(), SAVE_FOR_LATER_SHORT.into()];
    let mut lists: Vec<ListRow> = Vec::new();
    query.query_all(&[OF_TYPE.bind(&args)], &mut |_, row| collect_row(&mut lists, row)).await?;
    let chosen = lists.iter().position(|list| !list.archived).unwrap_or(0);
    Ok((!lists.is_empty()).then(|| lists.swap_remove(chosen)))
}

statements! {
    OF_TYPE = with_editors!("l.shopper_id = $2 and l.type in ($3, $4) order by l.ordinal");
}
