//! Due alerts. A node claims one with a lease, sends it and records the result; an expired lease makes it due again, under
//! the same message id.

use uuid::Uuid;
use wishbone_storage::{Query, Read};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::operator::Operator;

/// An alert that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueAlert {
    pub(crate) store_id: i64,
    pub(crate) subscription_id: Uuid,
}

impl DueAlert {
    /// The id of the subscription, for logs.
    pub fn id(&self) -> Uuid {
        self.subscription_id
    }
}

/// Finds due alerts of a store, oldest first.
pub struct FindDueAlerts {
    pub by: Operator,
    pub store_id: i64,
    pub now: Millis,
    pub limit: i64,
}

impl Read for FindDueAlerts {
    const NAME: &'static str = "find_due_alerts";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<DueAlert>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let (store_id, mut due) = (self.store_id, Vec::new());
        query
            .query_all(&[DUE.bind(&[store_id.into(), self.now.into(), self.limit.into()])], &mut |_, row| {
                due.push(DueAlert { store_id, subscription_id: uuid(row, 0)? });
                Ok(())
            })
            .await?;
        Ok(due)
    }
}

statements! {
    DUE = "select subscription_id from subscriptions where store_id = $1 and due_at <= $2
           order by due_at, waiting_since, subscription_id limit $3";
}
