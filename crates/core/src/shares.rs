//! How often a list was shared, and where: what a storefront's share buttons report.

use uuid::Uuid;
use wishbone_store::{FromRow, Row, Tx, Write};

use crate::caller::Shopper;
use crate::lists::{forbidden, not_found};
use crate::{Error, Millis, Result};

pub const LONGEST_MEDIUM: usize = 50;
/// More than there are places to share; what comes after counts together, so that a list cannot be made to grow.
const MOST_MEDIA: usize = 20;
const OTHER: &str = "other";

/// Counts a sharing of a list that the caller may read.
pub struct ReportShare {
    pub by: Shopper,
    pub list: Uuid,
    /// In small letters.
    pub medium: String,
    pub now: Millis,
}

struct Shared {
    shopper_id: Vec<u8>,
    public: bool,
}

impl FromRow for Shared {
    fn from_row(row: &dyn Row) -> wishbone_store::Result<Self> {
        Ok(Self { shopper_id: row.blob(0)?.to_owned(), public: row.flag(1)? })
    }
}

impl Write for ReportShare {
    const NAME: &'static str = "report_share";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let key = [self.by.store_id().into(), self.list.as_bytes().into()];
        let list: Shared = tx.first(LOCK_LIST.bind(&key)).await?.ok_or_else(not_found)?;
        if !list.public && list.shopper_id != self.by.id().0 {
            return Err(forbidden());
        }
        let media: Vec<String> = tx.rows(MEDIA.bind(&key)).await?;
        let has_room = media.len() < MOST_MEDIA;
        let medium = if has_room || media.contains(&self.medium) { &self.medium } else { OTHER };
        tx.execute(COUNT.bind(&[key[0], key[1], medium.into(), self.now.into()])).await?;
        Ok(())
    }
}

statements! {
    LOCK_LIST = "update lists set version = version where store_id = $1 and list_id = $2 returning shopper_id, public";
    MEDIA = "select medium from shares where store_id = $1 and list_id = $2";
    COUNT = "insert into shares (store_id, list_id, medium, times, last_at) values ($1, $2, $3, 1, $4)
             on conflict (store_id, list_id, medium) do update set times = shares.times + 1, last_at = excluded.last_at";
    pub(crate) DELETE_OF_LIST = "delete from shares where store_id = $1 and list_id = $2";
}
