//! The mail queue (transactional outbox). A mail is a row written in the transaction of the call that requests it. A
//! background job of any node claims it with a lease, sends it and records the result; an expired lease makes it due
//! again, under the same message id.

use std::ops::RangeInclusive;
use uuid::Uuid;

use wishbone_storage::{Query, Read, Tx};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::mail::limits::Permit;
use crate::mail::message::Message;
use crate::mail::recipients::Recipient;
use crate::moment::{DAY, Millis, Moment};
use crate::operator::Operator;
use crate::tokens::ShopperId;

/// How long the row of a finished mail is stored.
pub(super) const RETENTION: Millis = 30 * DAY;

/// The states of a mail, numbered as those of subscriptions; 2, being sent, occurs in statements only.
pub(super) const QUEUED: i64 = 0;
pub(crate) const SENT: i64 = 1;
pub(super) const FAILED: i64 = 3;

/// Not sent, since the recipient accepts no mail.
pub(super) const UNSUBSCRIBED: i64 = 4;

pub(crate) const STATES: RangeInclusive<i64> = QUEUED..=UNSUBSCRIBED;

pub(crate) struct NewMail<'a> {
    /// Who requested it; `None` is the store.
    pub(crate) shopper: Option<&'a ShopperId>,
    pub(crate) recipient: &'a Recipient,
    pub(crate) address: &'a str,
    pub(crate) message: Message,
    /// The domain of the message id.
    pub(crate) domain: &'a str,
}

/// Queues a mail to a recipient whose row is locked. For one who accepts no mail the row is written too: it counts towards
/// limits, and the sender cannot tell the difference.
pub(crate) async fn queue<T: Tx>(
    tx: &mut T,
    store_id: i64,
    mail: &NewMail<'_>,
    accepts_mail: bool,
    _: Permit,
    moment: &Moment,
) -> Result<()> {
    let id = moment.id(0);
    let message_id = format!("<{id}@{}>", mail.domain);
    let content = serde_json::to_string(&mail.message).map_err(Error::internal)?;
    let (state, due_at) = if accepts_mail { (QUEUED, moment.now) } else { (UNSUBSCRIBED, moment.now + RETENTION) };
    tx.execute(INSERT.bind(&[
        store_id.into(),
        id.as_bytes().into(),
        mail.message.kind().into(),
        mail.shopper.map(|shopper| &shopper.0).into(),
        mail.recipient.id().into(),
        (&message_id).into(),
        accepts_mail.then_some(mail.address).into(),
        accepts_mail.then_some(&content).into(),
        state.into(),
        due_at.into(),
        moment.now.into(),
    ]))
    .await?;
    Ok(())
}

/// A mail that is due: to be sent, or to be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueMail {
    pub(super) store_id: i64,
    pub(super) mail_id: Uuid,
}

impl DueMail {
    /// The id, for logs and file names.
    pub fn id(&self) -> Uuid {
        self.mail_id
    }

    pub fn store_id(&self) -> i64 {
        self.store_id
    }
}

/// Finds due mails of a store.
pub struct FindDueMails {
    pub by: Operator,
    pub store_id: i64,
    pub now: Millis,
    pub limit: i64,
}

impl Read for FindDueMails {
    const NAME: &'static str = "find_due_mails";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<DueMail>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let (store_id, mut out) = (self.store_id, Vec::new());
        let args = [store_id.into(), self.now.into(), self.limit.into()];
        query
            .query_all(&[DUE.bind(&args)], &mut |_, row| {
                out.push(DueMail { store_id, mail_id: uuid(row, 0)? });
                Ok(())
            })
            .await?;
        Ok(out)
    }
}

statements! {
    INSERT = "insert into mails (store_id, mail_id, kind, shopper_id, recipient_id, message_id, address, content, state,
                                 attempts, due_at, created_at, updated_at)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11, $11)";
    DUE = "select mail_id from mails where store_id = $1 and due_at <= $2 order by due_at, mail_id limit $3";
}
