//! Retrying alerts that failed, and lifting the suppression of addresses that did not exist, at the wish of the store.

use uuid::Uuid;
use wishbone_storage::{Database, FromRow, Row, Tx, Write};

use crate::catalog::topic::Topic;
use crate::decode::Id;
use crate::error::{Error, Result};
use crate::mail::recipients::{self, Recipient};
use crate::moment::Millis;
use crate::stores::admin::StoreAdmin;

/// Maximum alerts of one transaction, and of one call that names them.
pub const MAX_RETRIES: usize = 500;

/// Which alerts to retry.
#[derive(Clone, Debug)]
pub enum RetrySelection {
    Ids(Vec<Uuid>),
    /// Some of those that have failed.
    Failed,
}

/// Transactions of one call that retries everything; a further call continues.
const MAX_STEPS: usize = 200;

/// Retries alerts in transactions of at most [`MAX_RETRIES`]. Returns how many are due again, or wait again.
pub async fn retry_alerts(
    database: &Database,
    by: &StoreAdmin,
    selection: &RetrySelection,
    now: Millis,
) -> Result<usize> {
    let steps = match selection {
        RetrySelection::Ids(_) => 1,
        RetrySelection::Failed => MAX_STEPS,
    };
    let mut retried = 0;
    for _ in 0..steps {
        let step = database.write(RetryAlerts { by: by.clone(), selection: selection.clone(), now }).await?;
        retried += step.retried;
        if step.selected < MAX_RETRIES {
            break;
        }
    }
    Ok(retried)
}

/// Makes alerts due again that have failed. Suppressed ones wait for the next event. What a recipient has unsubscribed from
/// is suppressed instead.
struct RetryAlerts {
    by: StoreAdmin,
    selection: RetrySelection,
    now: Millis,
}

struct RetriedAlerts {
    /// What was selected.
    selected: usize,
    /// What is due again, or waits again.
    retried: usize,
}

struct Failed {
    address: String,
    topic: Topic,
}

impl FromRow for Failed {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let topic = Topic::parse(row.text(1)?).map_err(wishbone_storage::Error::bug)?;
        Ok(Self { address: row.text(0)?.to_owned(), topic })
    }
}

impl Write for RetryAlerts {
    const NAME: &'static str = "retry_alerts";
    type Out = RetriedAlerts;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<RetriedAlerts> {
        let store_id = self.by.store_id();
        let ids = match &self.selection {
            RetrySelection::Ids(ids) => ids.clone(),
            RetrySelection::Failed => {
                let args = [store_id.into(), (MAX_RETRIES as i64).into()];
                tx.rows::<Id>(FIND_FAILED.bind(&args)).await?.into_iter().map(|Id(id)| id).collect()
            }
        };
        let (selected, mut retried) = (ids.len(), 0);
        for id in ids {
            let key = [store_id.into(), id.as_bytes().into()];
            let Some(Failed { address, topic }) = tx.first(FIND.bind(&key)).await? else { continue };
            let recipient = Recipient::of_address(store_id, &address);
            recipients::lift_suppression(tx, &recipient).await?;
            let state = recipients::lock(tx, &recipient).await?;
            match recipients::refusal(tx, &recipient, state, topic).await? {
                Some(refusal) => {
                    tx.execute(SUPPRESS.bind(&[refusal.into(), self.now.into(), key[0], key[1]])).await?;
                }
                None => {
                    tx.execute(RETRY.bind(&[self.now.into(), key[0], key[1]])).await?;
                    retried += 1;
                }
            }
        }
        Ok(RetriedAlerts { selected, retried })
    }
}

statements! {
    FIND_FAILED = "select subscription_id from subscriptions where store_id = $1 and status = 3
                   order by subscription_id limit $2";
    FIND = "select address, topic from subscriptions where store_id = $1 and subscription_id = $2 and status in (3, 5)";
    SUPPRESS = "update subscriptions set status = 5, problem = $1, due_at = null, updated_at = $2
                where store_id = $3 and subscription_id = $4 and status in (3, 5)";
    RETRY = "update subscriptions set due_at = case when status = 3 then coalesce($1, due_at) end, status = 0, attempts = 0,
                                      problem = null, digest_id = null, updated_at = $1
             where store_id = $2 and subscription_id = $3 and status in (3, 5)";
}
