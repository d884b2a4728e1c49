//! The save-for-later list: one a shopper, made on first use.

use wishbone_store::{Query, Read, Tx, Write};

use crate::caller::Shopper;
use crate::kept::about_shopper;
use crate::lists::{self, ListDetails, ListRow, SAVE_FOR_LATER};
use crate::{Error, Moment, Result, shoppers};

/// Finds the caller's save-for-later list, or makes it.
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
        tx.touches_only(&[about_shopper(self.by.store_id(), self.by.id())]);
        match lists::find_save_for_later(tx, &self.by).await? {
            Some(list) => Ok(list),
            None => lists::create(tx, &self.by, &shopper, SAVE_FOR_LATER, &self.details, &self.moment).await,
        }
    }
}

/// The caller's save-for-later list, if there is one yet.
pub struct FindSaveForLater {
    pub by: Shopper,
}

impl Read for FindSaveForLater {
    const NAME: &'static str = "find_save_for_later";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<ListRow>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        lists::find_save_for_later(query, &self.by).await
    }
}
