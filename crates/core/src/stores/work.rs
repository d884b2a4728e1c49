//! Which stores have work for background jobs. In a sharded database these statements run on every shard, all others of a
//! job on the shard of its store.

use wishbone_storage::{Query, Read};

use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::operator::Operator;

/// The kinds of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Mails to send.
    Mails,
    /// Events of the catalogue to dispatch.
    AlertEvents,
    /// Alerts to send.
    Alerts,
    /// Events to deliver to webhooks.
    Webhooks,
    /// Copies, unions, merges, undos and transfers of wishes to continue.
    Steps,
    /// Deleted lists to purge.
    DeletedLists,
}

/// Finds the stores that have work of a kind now, in the order of their ids.
pub struct FindStoresWithWork {
    pub by: Operator,
    pub work: Work,
    pub now: Millis,
}

impl Read for FindStoresWithWork {
    const NAME: &'static str = "find_stores_with_work";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<i64>;
    type Error = wishbone_storage::Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> wishbone_storage::Result<Self::Out> {
        let now = [self.now.into()];
        query
            .rows(match self.work {
                Work::Mails => MAILS.bind(&now),
                Work::AlertEvents => ALERT_EVENTS.bind(&now),
                Work::Alerts => ALERTS.bind(&now),
                Work::Webhooks => WEBHOOKS.bind(&now),
                Work::Steps => STEPS.bind(&[]),
                Work::DeletedLists => DELETED_LISTS.bind(&[]),
            })
            .await
    }
}

/// Finds all stores, in the order of their ids.
pub struct FindStores {
    pub by: Operator,
}

impl Read for FindStores {
    const NAME: &'static str = "find_stores";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<i64>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(ALL.bind(&[])).await?)
    }
}

/// Reads from the shard of a store, to find out whether it can be reached.
pub struct ProbeStore {
    pub by: Operator,
    pub store_id: i64,
}

impl Read for ProbeStore {
    const NAME: &'static str = "probe_store";
    const SINGLE_STATEMENT: bool = true;
    type Out = ();
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<()> {
        query.first::<i64>(PROBE.bind(&[self.store_id.into()])).await?;
        Ok(())
    }
}

/// The stores for which a value exists. As a scalar subquery it is one look at an index per store; PostgreSQL may run
/// `exists` as a join that reads all rows.
macro_rules! stores_with {
    ($value:literal) => {
        concat!("select s.store_id from store_states s where (", $value, " limit 1) is not null order by s.store_id")
    };
}

statements! {
    MAILS = stores_with!("select m.due_at from mails m where m.store_id = s.store_id and m.due_at <= $1 order by m.due_at");
    ALERT_EVENTS = stores_with!("select e.due_at from alert_events e where e.store_id = s.store_id and e.due_at <= $1
                                 order by e.due_at");
    ALERTS = stores_with!("select a.due_at from subscriptions a where a.store_id = s.store_id and a.due_at <= $1
                           order by a.due_at");
    WEBHOOKS = stores_with!("select w.state from webhooks w where w.store_id = s.store_id and w.state = 0
                             and (select q.due_at from webhook_queues q
                                  where q.store_id = w.store_id and q.webhook_id = w.webhook_id and q.due_at <= $1
                                  order by q.due_at limit 1) is not null");
    // These tables have only what is in progress.
    STEPS = "select store_id from copies union select store_id from unions union select store_id from merge_steps
             union select store_id from undos union select store_id from wish_transfers order by store_id";
    DELETED_LISTS = stores_with!("select d.store_id from deleted_lists d where d.store_id = s.store_id");
    ALL = "select store_id from stores where deleting_since is null order by store_id";
    PROBE = "select store_id from store_states where store_id = $1";
}
