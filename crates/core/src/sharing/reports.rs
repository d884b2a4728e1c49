//! Share counts by medium, as reported by a storefront's share buttons.

use wishbone_storage::{Tx, Write, WriteSet};

use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::access::{self, ListTarget, Right};
use crate::moment::Millis;

pub const LONGEST_MEDIUM: usize = 50;

/// More than there are places to share; what comes after counts together, so that a list cannot be made to grow.
const MOST_MEDIA: usize = 20;
const OTHER: &str = "other";

/// Counts a sharing of a list that the caller may read.
pub struct ReportShare {
    pub by: Shopper,
    pub list: ListTarget,
    /// In small letters.
    pub medium: String,
    pub now: Millis,
}

impl Write for ReportShare {
    const NAME: &'static str = "report_share";
    /// The list's name, as the caller knows it.
    type Out = String;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<String> {
        let (list, access) = access::lock(tx, &self.by, &self.list, Right::Read).await?;
        let key = [self.by.store_id().into(), list.list_id.as_bytes().into()];
        let media: Vec<String> = tx.rows(MEDIA.bind(&key)).await?;
        let has_room = media.len() < MOST_MEDIA;
        let medium = if has_room || media.contains(&self.medium) { &self.medium } else { OTHER };
        tx.execute(COUNT.bind(&[key[0], key[1], medium.into(), self.now.into()])).await?;
        Ok(access.key().map_or_else(|| list.list_id.to_string(), str::to_owned))
    }

    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::nothing()
    }
}

statements! {
    MEDIA = "select medium from shares where store_id = $1 and list_id = $2";
    COUNT = "insert into shares (store_id, list_id, medium, times, last_at) values ($1, $2, $3, 1, $4)
             on conflict (store_id, list_id, medium) do update set times = shares.times + 1, last_at = excluded.last_at";
}
