//! Retrying alerts that failed, and lifting the suppression of addresses that did not exist, at the wish of the store.

use uuid::Uuid;
use wishbone_storage::{FromRow, Row, Tx, Write, WriteSet};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::mail::recipients::{self, Recipient};
use crate::moment::Millis;
use crate::stores::admin::StoreAdmin;
use crate::subscriptions::create::UNSUBSCRIBED;

/// Maximum alerts of one transaction, and of one call that names them.
pub const MAX_RETRIES: usize = 500;

/// Which alerts to retry.
#[derive(Clone, Debug)]
pub enum RetrySelection {
    Ids(Vec<Uuid>),
    /// Some of those that have failed.
    Failed,
}

/// Makes alerts due again that have failed. Suppressed ones wait for the next event.
pub struct RetryAlerts {
    pub by: StoreAdmin,
    pub selection: RetrySelection,
    pub now: Millis,
}

struct Retried {
    address: String,
}

impl FromRow for Retried {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { address: row.text(0)?.to_owned() })
    }
}

struct Id(Uuid);

impl FromRow for Id {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(uuid(row, 0)?))
    }
}

impl Write for RetryAlerts {
    const NAME: &'static str = "retry_alerts";
    /// The number of alerts that are due again, or wait again.
    type Out = usize;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<usize> {
        let store_id = self.by.store_id();
        let ids = match &self.selection {
            RetrySelection::Ids(ids) => ids.clone(),
            RetrySelection::Failed => {
                let args = [store_id.into(), (MAX_RETRIES as i64).into()];
                tx.rows::<Id>(FIND_FAILED.bind(&args)).await?.into_iter().map(|Id(id)| id).collect()
            }
        };
        let mut retried = 0;
        for id in ids {
            let args = [self.now.into(), UNSUBSCRIBED.into(), store_id.into(), id.as_bytes().into()];
            if let Some(Retried { address }) = tx.first(RETRY.bind(&args)).await? {
                recipients::lift_suppression(tx, &Recipient::of_address(store_id, &address)).await?;
                retried += 1;
            }
        }
        Ok(retried)
    }

    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::nothing()
    }
}

statements! {
    FIND_FAILED = "select subscription_id from subscriptions where store_id = $1 and status = 3
                   order by subscription_id limit $2";
    RETRY = "update subscriptions set due_at = case when status = 3 then coalesce($1, due_at) end, status = 0, attempts = 0,
                                      problem = null, digest_id = null, updated_at = $1
             where (problem is null or problem <> $2) and store_id = $3 and subscription_id = $4 and status in (3, 5)
             returning address";
}
