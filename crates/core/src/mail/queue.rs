//! The mail queue (transactional outbox). A mail is a row written in the transaction of the call that requests it. A
//! background job of any node claims it with a lease, sends it and records the result; an expired lease makes it due
//! again, under the same message id.

use uuid::Uuid;
use wishbone_storage::{FromRow, Query, Read, Row, Tx, Write, WriteSet};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::mail::message::{Message, REMINDER};
use crate::mail::recipients::{self, Recipient};
use crate::moment::{Millis, Moment};
use crate::operator::Operator;
use crate::stores::record::{self, StoreRecord};
use crate::tokens::ShopperId;

const SECOND: Millis = 1_000;
const HOUR: Millis = 3_600 * SECOND;
const DAY: Millis = 24 * HOUR;

/// How long a node may take to send a claimed mail. The sender times out well before.
pub(crate) const LEASE: Millis = 150 * SECOND;

/// With the backoff below, the last attempt is about a day after the first.
pub(crate) const MAX_ATTEMPTS: i64 = 12;
const FIRST_BACKOFF: Millis = 5 * SECOND;
const MAX_BACKOFF: Millis = 6 * HOUR;

/// How long the row of a finished mail is stored.
const RETENTION: Millis = 30 * DAY;
const MAX_PROBLEM_LENGTH: usize = 500;

/// The states of a mail, numbered as those of subscriptions; 2, being sent, occurs in statements only.
const QUEUED: i64 = 0;
pub(crate) const SENT: i64 = 1;
const FAILED: i64 = 3;

/// Not sent, since the recipient accepts no mail.
const UNSUBSCRIBED: i64 = 4;

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
    store_id: i64,
    mail_id: Uuid,
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

/// Finds due mails, at most `limit` of each store, so that no store delays another.
pub struct FindDueMails {
    pub by: Operator,
    pub now: Millis,
    pub limit: i64,
}

impl Read for FindDueMails {
    const NAME: &'static str = "find_due_mails";
    type Out = Vec<DueMail>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let mut out = Vec::new();
        for store_id in query.rows::<i64>(DUE_STORES.bind(&[self.now.into()])).await? {
            let args = [store_id.into(), self.now.into(), self.limit.into()];
            query
                .query_all(&[DUE.bind(&args)], &mut |_, row| {
                    out.push(DueMail { store_id, mail_id: uuid(row, 0)? });
                    Ok(())
                })
                .await?;
        }
        Ok(out)
    }
}

/// A mail that only this node may send, until the lease expires.
#[derive(Clone, Debug)]
pub struct ClaimedMail {
    pub due: DueMail,
    pub recipient: Recipient,
    pub message_id: String,
    pub address: String,
    /// Encoded, so that content that cannot be decoded fails one mail and not the job.
    content: String,
    pub created_at: Millis,
    attempt: i64,
}

impl ClaimedMail {
    pub fn message(&self) -> Result<Message> {
        serde_json::from_str(&self.content).map_err(Error::internal)
    }
}

struct ClaimedRow {
    kind: String,
    shopper_id: Option<Vec<u8>>,
    recipient_id: Vec<u8>,
    message_id: String,
    address: String,
    content: String,
    created_at: Millis,
    attempts: i64,
}

impl FromRow for ClaimedRow {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            recipient_id: row.blob(0)?.to_owned(),
            message_id: row.text(1)?.to_owned(),
            address: row.text(2)?.to_owned(),
            content: row.text(3)?.to_owned(),
            created_at: row.int(4)?,
            attempts: row.int(5)?,
            kind: row.text(6)?.to_owned(),
            shopper_id: row.opt_blob(7)?.map(<[u8]>::to_vec),
        })
    }
}

/// Claims a due mail, or deletes one that was finished long ago.
pub struct ClaimMail {
    pub by: Operator,
    pub mail: DueMail,
    pub now: Millis,
}

impl Write for ClaimMail {
    const NAME: &'static str = "claim_mail";
    /// `None` if there is nothing to send, or another node has claimed it.
    type Out = Option<ClaimedMail>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let DueMail { store_id, mail_id } = self.mail;
        let key = [store_id.into(), mail_id.as_bytes().into()];
        let claim = [(self.now + LEASE).into(), self.now.into(), key[0], key[1]];
        let Some(row) = tx.first::<ClaimedRow>(CLAIM.bind(&claim)).await? else {
            let removed: Option<RecipientId> = tx.first(REMOVE.bind(&[key[0], key[1], self.now.into()])).await?;
            if let Some(RecipientId(id)) = removed {
                recipients::delete_unused(tx, &Recipient::from_row(store_id, &id)?).await?;
            }
            return Ok(None);
        };
        let recipient = Recipient::from_row(store_id, &row.recipient_id)?;
        if !recipients::lock(tx, &recipient).await?.accepts_mail() {
            finish(tx, &self.mail, row.attempts, UNSUBSCRIBED, self.now).await?;
            return Ok(None);
        }
        if row.kind == REMINDER && !self.may_remind(tx, &row).await? {
            return Ok(None);
        }
        if row.attempts > MAX_ATTEMPTS {
            // The last attempt has no recorded result: the mail may crash the node.
            let problem = "no attempt was completed";
            record_problem(tx, &self.mail, row.attempts, FAILED, problem, self.now + RETENTION, self.now).await?;
            return Ok(None);
        }
        Ok(Some(ClaimedMail {
            due: self.mail,
            recipient,
            message_id: row.message_id,
            address: row.address,
            content: row.content,
            created_at: row.created_at,
            attempt: row.attempts,
        }))
    }

    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::nothing()
    }
}

impl ClaimMail {
    /// Drops a reminder if the shopper has withdrawn consent, and postpones it in quiet hours. True if it may be sent.
    async fn may_remind<T: Tx>(&self, tx: &mut T, row: &ClaimedRow) -> Result<bool> {
        let DueMail { store_id, mail_id } = self.mail;
        let shopper = [store_id.into(), row.shopper_id.as_ref().into()];
        if tx.first::<i64>(CONSENT.bind(&shopper)).await?.is_none() {
            finish(tx, &self.mail, row.attempts, UNSUBSCRIBED, self.now).await?;
            return Ok(false);
        }
        let store: Option<StoreRecord> = tx.first(record::BY_ID.bind(&shopper[..1])).await?;
        match store.and_then(|store| store.settings.alerts.quiet_until(self.now)) {
            None => Ok(true),
            Some(until) => {
                tx.execute(POSTPONE.bind(&[until.into(), store_id.into(), mail_id.as_bytes().into()])).await?;
                Ok(false)
            }
        }
    }
}

/// The result of a delivery attempt.
#[derive(Clone, Debug)]
pub enum Delivery {
    Sent,
    /// A temporary problem.
    Later(String),
    /// A permanent problem.
    Never(String),
    /// The address does not exist.
    NoMailbox(String),
}

/// The state of a mail after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    Sent,
    Waiting,
    Failed,
}

#[derive(Clone)]
pub struct RecordDelivery {
    pub by: Operator,
    pub mail: ClaimedMail,
    pub delivery: Delivery,
    pub now: Millis,
}

impl Write for RecordDelivery {
    const NAME: &'static str = "record_delivery";
    type Out = DeliveryState;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<DeliveryState> {
        let (mail, attempt) = (&self.mail.due, self.mail.attempt);
        match &self.delivery {
            Delivery::Sent => {
                finish(tx, mail, attempt, SENT, self.now).await?;
                Ok(DeliveryState::Sent)
            }
            Delivery::Later(problem) if attempt < MAX_ATTEMPTS => {
                let due_at = self.now + backoff(attempt, &mail.mail_id);
                record_problem(tx, mail, attempt, QUEUED, problem, due_at, self.now).await?;
                Ok(DeliveryState::Waiting)
            }
            Delivery::Later(problem) | Delivery::Never(problem) | Delivery::NoMailbox(problem) => {
                if matches!(self.delivery, Delivery::NoMailbox(_)) {
                    let because = shorten(&problem.replace(&self.mail.address, "the address"));
                    recipients::suppress(tx, &self.mail.recipient, &because, self.now).await?;
                }
                record_problem(tx, mail, attempt, FAILED, problem, self.now + RETENTION, self.now).await?;
                Ok(DeliveryState::Failed)
            }
        }
    }

    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::nothing()
    }
}

/// Exponential backoff with factor 3, and up to half as much again, so that retries are spread.
pub(crate) fn backoff(attempt: i64, id: &Uuid) -> Millis {
    let factor = 3_i64.saturating_pow(u32::try_from(attempt - 1).unwrap_or(0));
    let shortest = FIRST_BACKOFF.saturating_mul(factor).min(MAX_BACKOFF);
    shortest + shortest / 2 * i64::from(id.as_bytes()[15]) / 255
}

/// A problem as it is stored.
pub(crate) fn shorten(problem: &str) -> String {
    problem.chars().filter(|c| *c != '\0').take(MAX_PROBLEM_LENGTH).collect()
}

/// Marks a mail as finished, and deletes its address and content.
async fn finish<T: Tx>(tx: &mut T, mail: &DueMail, attempt: i64, state: i64, now: Millis) -> Result<()> {
    tx.execute(FINISH.bind(&[
        state.into(),
        (now + RETENTION).into(),
        now.into(),
        mail.store_id.into(),
        mail.mail_id.as_bytes().into(),
        attempt.into(),
    ]))
    .await?;
    Ok(())
}

async fn record_problem<T: Tx>(
    tx: &mut T,
    mail: &DueMail,
    attempt: i64,
    state: i64,
    problem: &str,
    due_at: Millis,
    now: Millis,
) -> Result<()> {
    let problem = shorten(problem);
    tx.execute(RECORD_PROBLEM.bind(&[
        state.into(),
        (&problem).into(),
        due_at.into(),
        now.into(),
        mail.store_id.into(),
        mail.mail_id.as_bytes().into(),
        attempt.into(),
    ]))
    .await?;
    Ok(())
}

struct RecipientId(Vec<u8>);

impl FromRow for RecipientId {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.blob(0)?.to_owned()))
    }
}

// A claimed mail (2) whose lease has expired is due like a queued one (0).
statements! {
    INSERT = "insert into mails (store_id, mail_id, kind, shopper_id, recipient_id, message_id, address, letter, state,
                                 attempts, due_at, created_at, updated_at)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11, $11)";
    DUE_STORES = "select s.store_id from stores s
                  where (select m.due_at from mails m where m.store_id = s.store_id and m.due_at <= $1
                         order by m.due_at limit 1) is not null
                  order by s.store_id";
    DUE = "select mail_id from mails where store_id = $1 and due_at <= $2 order by due_at, mail_id limit $3";
    CLAIM = "update mails set state = 2, attempts = attempts + 1, due_at = $1, updated_at = $2
             where store_id = $3 and mail_id = $4 and state in (0, 2) and due_at <= $2
             returning recipient_id, message_id, address, letter, created_at, attempts, kind, shopper_id";
    CONSENT = "select accepts_marketing from shoppers where store_id = $1 and shopper_id = $2 and accepts_marketing = 1";
    POSTPONE = "update mails set state = 0, attempts = attempts - 1, due_at = $1
                where store_id = $2 and mail_id = $3 and state = 2";
    REMOVE = "delete from mails where store_id = $1 and mail_id = $2 and state not in (0, 2) and due_at <= $3
              returning recipient_id";
    FINISH = "update mails set state = $1, address = null, letter = null, problem = null, due_at = $2, updated_at = $3
              where store_id = $4 and mail_id = $5 and state = 2 and attempts = $6";
    RECORD_PROBLEM = "update mails set state = $1, problem = $2, due_at = $3, updated_at = $4
                      where store_id = $5 and mail_id = $6 and state = 2 and attempts = $7";
    pub(crate) LISTS_OF_SHOPPER = "select count(*), coalesce(min(created_at), 0) from mails
        where store_id = $1 and shopper_id = $2 and created_at > $3 and kind = 'list'";
    pub(crate) LISTS_TO_RECIPIENT = "select count(*), coalesce(min(created_at), 0) from mails
        where store_id = $1 and recipient_id = $2 and created_at > $3 and kind = 'list'";
    pub(crate) TESTS_OF_STORE = "select count(*), coalesce(min(created_at), 0) from mails
        where store_id = $1 and shopper_id is null and created_at > $2 and kind = 'test'";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_spread_over_about_a_day() {
        for (id, first) in [(Uuid::nil(), [5_000, 15_000, 45_000]), (Uuid::max(), [7_500, 22_500, 67_500])] {
            let delays: Vec<Millis> = (1..MAX_ATTEMPTS).map(|attempt| backoff(attempt, &id)).collect();
            assert_eq!(delays[..3], first);
            let total: Millis = delays.iter().sum();
            assert!((DAY * 3 / 4..2 * DAY).contains(&total), "{total}");
        }
    }
}
