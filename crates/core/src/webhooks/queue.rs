//! What is queued for endpoints. A queue holds the deliveries of one subject to one endpoint. A node claims it with a lease,
//! sends its first delivery, and records the result, so that a failed delivery holds back later ones of its subject and no
//! others. An expired lease makes the queue due again.

use uuid::Uuid;
use wishbone_storage::{Arg, Query, Read};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::operator::Operator;

/// The states of a delivery, numbered as those of mails.
pub(crate) const WAITING: i64 = 0;
pub(crate) const DELIVERED: i64 = 1;
pub(crate) const FAILED: i64 = 3;
pub(crate) const STATES: [i64; 3] = [WAITING, DELIVERED, FAILED];

/// An enabled endpoint with a due queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DueWebhook {
    pub store_id: i64,
    pub webhook_id: Uuid,
}

/// Finds endpoints of a store with due queues.
pub struct FindDueWebhooks {
    pub by: Operator,
    pub store_id: i64,
    pub now: Millis,
}

impl Read for FindDueWebhooks {
    const NAME: &'static str = "find_due_webhooks";
    const SINGLE_STATEMENT: bool = true;
    /// Each with the time since when it is due.
    type Out = Vec<(Millis, DueWebhook)>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let (store_id, mut due) = (self.store_id, Vec::new());
        query
            .query_all(&[DUE_WEBHOOKS.bind(&[store_id.into(), self.now.into()])], &mut |_, row| {
                due.push((row.int(1)?, DueWebhook { store_id, webhook_id: uuid(row, 0)? }));
                Ok(())
            })
            .await?;
        Ok(due)
    }
}

/// A queue that may be due.
#[derive(Clone, Debug)]
pub struct DueQueue {
    pub(super) webhook: DueWebhook,
    pub(super) subject: Vec<u8>,
}

impl DueQueue {
    pub(super) fn key(&self) -> [Arg<'_>; 3] {
        [self.webhook.store_id.into(), self.webhook.webhook_id.as_bytes().into(), (&self.subject).into()]
    }
}

/// Finds due queues of an endpoint, the longest due first.
pub struct FindDueQueues {
    pub by: Operator,
    pub webhook: DueWebhook,
    pub now: Millis,
    pub limit: i64,
}

impl Read for FindDueQueues {
    const NAME: &'static str = "find_due_queues";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<DueQueue>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let DueWebhook { store_id, webhook_id } = &self.webhook;
        let args = [(*store_id).into(), webhook_id.as_bytes().into(), self.now.into(), self.limit.into()];
        let mut out = Vec::new();
        query
            .query_all(&[DUE_QUEUES.bind(&args)], &mut |_, row| {
                out.push(DueQueue { webhook: self.webhook, subject: row.blob(0)?.to_owned() });
                Ok(())
            })
            .await?;
        Ok(out)
    }
}

/// Counts waiting deliveries of an endpoint, up to a limit.
pub struct CountWaiting {
    pub by: Operator,
    pub webhook: DueWebhook,
    pub limit: i64,
}

impl Read for CountWaiting {
    const NAME: &'static str = "count_waiting";
    const SINGLE_STATEMENT: bool = true;
    type Out = i64;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<i64> {
        let DueWebhook { store_id, webhook_id } = &self.webhook;
        let args = [(*store_id).into(), webhook_id.as_bytes().into(), self.limit.into()];
        let mut count = 0;
        query
            .query_all(&[WAITING_ONES.bind(&args)], &mut |_, _| {
                count += 1;
                Ok(())
            })
            .await?;
        Ok(count)
    }
}

/// Finds the enabled endpoints of a store.
pub struct FindEnabledWebhooks {
    pub by: Operator,
    pub store_id: i64,
}

impl Read for FindEnabledWebhooks {
    const NAME: &'static str = "find_enabled_webhooks";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<DueWebhook>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let (store_id, mut out) = (self.store_id, Vec::new());
        query
            .query_all(&[ENABLED.bind(&[store_id.into()])], &mut |_, row| {
                out.push(DueWebhook { store_id, webhook_id: uuid(row, 0)? });
                Ok(())
            })
            .await?;
        Ok(out)
    }
}

statements! {
    DUE_WEBHOOKS = "select x.webhook_id, x.due_at from
                    (select w.webhook_id,
                            (select q.due_at from webhook_queues q
                             where q.store_id = $1 and q.webhook_id = w.webhook_id
                             order by q.due_at limit 1) as due_at
                     from webhooks w where w.store_id = $1 and w.state = 0) x
                    where x.due_at <= $2";
    ENABLED = "select webhook_id from webhooks where store_id = $1 and state = 0";
    DUE_QUEUES = "select subject from webhook_queues where store_id = $1 and webhook_id = $2 and due_at <= $3
                  order by due_at, subject limit $4";
    WAITING_ONES = "select n from webhook_deliveries where store_id = $1 and webhook_id = $2 and state = 0 limit $3";
}
