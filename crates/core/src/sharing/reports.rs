//! Share counts by medium, as reported by a storefront's share buttons.

use wishbone_storage::{Tx, Write};

use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::access::{self, ListTarget, Right};
use crate::lists::events::record_share;
use crate::moment::Moment;

pub const MAX_MEDIUM_LENGTH: usize = 50;

/// Media counted separately per list; further ones are counted together, so that the number of rows is bounded.
const MAX_MEDIA: usize = 20;
const OTHER: &str = "other";

/// Counts one share of a list that the caller may read.
pub struct ReportShare {
    pub by: Shopper,
    pub list: ListTarget,
    /// In lower case.
    pub medium: String,
    pub moment: Moment,
}

impl Write for ReportShare {
    const NAME: &'static str = "report_share";
    /// The lid or link key by which the caller knows the list.
    type Out = String;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<String> {
        let (list, access) = access::lock(tx, &self.by, &self.list, Right::Read).await?;
        let key = [self.by.store_id().into(), list.list_id.as_bytes().into()];
        let media: Vec<String> = tx.rows(MEDIA.bind(&key)).await?;
        let has_room = media.len() < MAX_MEDIA;
        let medium = if has_room || media.contains(&self.medium) { &self.medium } else { OTHER };
        tx.execute(COUNT.bind(&[key[0], key[1], medium.into(), self.moment.now.into()])).await?;
        record_share(tx, &self.by, &list, medium, &self.moment).await?;
        Ok(access.key().map_or_else(|| list.list_id.to_string(), str::to_owned))
    }
}

statements! {
    MEDIA = "select medium from shares where store_id = $1 and list_id = $2";
    COUNT = "insert into shares (store_id, list_id, medium, times, last_at) values ($1, $2, $3, 1, $4)
             on conflict (store_id, list_id, medium) do update set times = shares.times + 1, last_at = excluded.last_at";
}
