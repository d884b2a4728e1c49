//! The mail queue (transactional outbox). A mail is a row written in the transaction of the call that requests it. A
//! background job of any node claims it with a lease, sends it and records the result; an expired lease makes it due
//! again, under the same message id.

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write, WriteSet};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::json::Object;
use crate::mail::message::Message;
use crate::mail::recipients::{self, Recipient};
use crate::moment::{Millis, Moment};
use crate::operator::Operator;
use crate::tokens::ShopperId;

const SECOND: Millis = 1_000;
const HOUR: Millis = 3_600 * SECOND;
const DAY: Millis = 24 * HOUR;

/// How long a node has to send what it claimed. The sender gives up well before.
const LEASE: Millis = 150 * SECOND;

/// With the pauses below, about a day passes until the last try.
const MOST_ATTEMPTS: i64 = 12;
const FIRST_PAUSE: Millis = 5 * SECOND;
const LONGEST_PAUSE: Millis = 6 * HOUR;

/// How long a finished mail is remembered.
const RETENTION: Millis = 30 * DAY;
const LONGEST_PROBLEM: usize = 500;

/// The states of a mail, in the numbers of subscriptions; 2, being sent, is only spoken of in statements.
const QUEUED: i64 = 0;
const SENT: i64 = 1;
const FAILED: i64 = 3;

/// The recipient wants no mail of the store.
const REFUSED: i64 = 4;

pub(crate) struct NewMail<'a> {
    pub(crate) shopper: &'a ShopperId,
    pub(crate) recipient: &'a Recipient,
    pub(crate) address: &'a str,
    pub(crate) message: Message,
    /// What follows the `@` of the message id.
    pub(crate) domain: &'a str,
}

/// Queues a mail to a recipient whose row is locked. One who refuses mail gets none, and the row is there all the
/// same: it counts in limits, and whoever asked cannot tell the difference.
pub(crate) async fn queue<T: Tx>(
    tx: &mut T,
    store_id: i64,
    mail: &NewMail<'_>,
    refuses: bool,
    moment: &Moment,
) -> Result<()> {
    let id = moment.id(0);
    let message_id = format!("<{id}@{}>", mail.domain);
    let content = serde_json::to_string(&mail.message).map_err(Error::internal)?;
    let (state, due_at) = if refuses { (REFUSED, moment.now + RETENTION) } else { (QUEUED, moment.now) };
    tx.execute(INSERT.bind(&[
        store_id.into(),
        id.as_bytes().into(),
        mail.message.kind().into(),
        (&mail.shopper.0).into(),
        mail.recipient.id().into(),
        (&message_id).into(),
        (!refuses).then_some(mail.address).into(),
        (!refuses).then_some(&content).into(),
        state.into(),
        due_at.into(),
        moment.now.into(),
    ]))
    .await?;
    Ok(())
}

/// A mail that the job has to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueMail {
    store_id: i64,
    mail_id: Uuid,
}

impl DueMail {
    /// For logs and file names.
    pub fn id(&self) -> Uuid {
        self.mail_id
    }
}

/// What is due, at most so many of each store, so that none waits behind another's thousands.
pub struct FindDueMails {
    pub by: Operator,
    pub now: Millis,
    pub most: i64,
}

impl Read for FindDueMails {
    const NAME: &'static str = "find_due_mails";
    type Out = Vec<DueMail>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let mut out = Vec::new();
        for store_id in query.rows::<i64>(DUE_STORES.bind(&[self.now.into()])).await? {
            let args = [store_id.into(), self.now.into(), self.most.into()];
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

/// A mail that this node alone may send, for a while.
#[derive(Clone, Debug)]
pub struct ClaimedMail {
    pub due: DueMail,
    pub recipient: Recipient,
    pub message_id: String,
    pub address: String,
    /// Encoded: content that cannot be decoded must be set aside, not stop the job.
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
        })
    }
}

/// Claims a due mail, or does what else is due about it: a finished one that is old is removed.
pub struct ClaimMail {
    pub by: Operator,
    pub mail: DueMail,
    pub now: Millis,
}

impl Write for ClaimMail {
    const NAME: &'static str = "claim_mail";
    /// `None`: there is nothing to send, or another node is at it.
    type Out = Option<ClaimedMail>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let DueMail { store_id, mail_id } = self.mail;
        let key = [store_id.into(), mail_id.as_bytes().into()];
        let claim = [(self.now + LEASE).into(), self.now.into(), key[0], key[1]];
        let Some(row) = tx.first::<ClaimedRow>(CLAIM.bind(&claim)).await? else {
            let removed: Option<RecipientId> = tx.first(REMOVE.bind(&[key[0], key[1], self.now.into()])).await?;
            if let Some(RecipientId(id)) = removed {
                recipients::forget(tx, &Recipient::from_row(store_id, &id)?).await?;
            }
            return Ok(None);
        };
        let recipient = Recipient::from_row(store_id, &row.recipient_id)?;
        if recipients::lock(tx, &recipient).await? {
            finish(tx, &self.mail, row.attempts, REFUSED, self.now).await?;
            return Ok(None);
        }
        if row.attempts > MOST_ATTEMPTS {
            // Nobody came back to tell how the last try went: it may be this mail that brings a node down.
            let problem = "no try was ever finished";
            put_off(tx, &self.mail, row.attempts, FAILED, problem, self.now + RETENTION, self.now).await?;
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

/// How a try ended.
#[derive(Clone, Debug)]
pub enum Delivery {
    Sent,
    /// It may work later; says why not now.
    Later(String),
    /// It never will.
    Never(String),
}

/// What became of a mail.
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
            Delivery::Later(problem) if attempt < MOST_ATTEMPTS => {
                let due_at = self.now + pause(attempt);
                put_off(tx, mail, attempt, QUEUED, problem, due_at, self.now).await?;
                Ok(DeliveryState::Waiting)
            }
            Delivery::Later(problem) | Delivery::Never(problem) => {
                put_off(tx, mail, attempt, FAILED, problem, self.now + RETENTION, self.now).await?;
                Ok(DeliveryState::Failed)
            }
        }
    }

    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::nothing()
    }
}

/// Three times as long after every try.
fn pause(attempt: i64) -> Millis {
    let factor = 3_i64.saturating_pow(u32::try_from(attempt - 1).unwrap_or(0));
    FIRST_PAUSE.saturating_mul(factor).min(LONGEST_PAUSE)
}

/// The end of a mail, of which address and content are not kept.
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

async fn put_off<T: Tx>(
    tx: &mut T,
    mail: &DueMail,
    attempt: i64,
    state: i64,
    problem: &str,
    due_at: Millis,
    now: Millis,
) -> Result<()> {
    let problem: String = problem.chars().filter(|c| *c != '\0').take(LONGEST_PROBLEM).collect();
    tx.execute(PUT_OFF.bind(&[
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

/// Mails that a person asked for, or that went to them, by id.
async fn of_person<Q: Query>(
    query: &mut Q,
    store_id: i64,
    shopper: Option<&ShopperId>,
    address: &str,
) -> Result<Vec<Uuid>> {
    let recipient = Recipient::of_address(store_id, address);
    let shopper = [store_id.into(), shopper.map(|shopper| &shopper.0).into()];
    let recipient = [store_id.into(), recipient.id().into()];
    let mut ids = Vec::new();
    query
        .query_all(&[BY_SHOPPER.bind(&shopper), TO_RECIPIENT.bind(&recipient)], &mut |_, row| {
            ids.push(uuid(row, 0)?);
            Ok(())
        })
        .await?;
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Removes every mail that a person asked for, or that went or is to go to them, and with their last mail those whom it
/// went to. Who refuses mail is remembered, by a hash, so that it stays so.
pub(crate) async fn forget_person<T: Tx>(
    tx: &mut T,
    store_id: i64,
    shopper: Option<&ShopperId>,
    address: &str,
) -> Result<u64> {
    let ids = of_person(tx, store_id, shopper, address).await?;
    let keys: Vec<[Arg<'_>; 2]> = ids.iter().map(|id| [store_id.into(), id.as_bytes().into()]).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| FORGET.bind(key)).collect();
    let mut reached = Vec::new();
    tx.query_all(&batch, &mut |_, row| {
        reached.push(Recipient::from_row(store_id, row.blob(0)?)?);
        Ok(())
    })
    .await?;
    let removed = reached.len() as u64;
    reached.sort_unstable_by_key(|recipient| *recipient.id());
    reached.dedup();
    for recipient in &reached {
        recipients::forget(tx, recipient).await?;
    }
    Ok(removed)
}

/// The same mails, as objects: when, of which kind, and whether the person asked for it or got it.
pub(crate) async fn export_person<Q: Query>(
    query: &mut Q,
    store_id: i64,
    shopper: Option<&ShopperId>,
    address: &str,
) -> Result<Vec<Vec<u8>>> {
    let recipient = Recipient::of_address(store_id, address);
    let ids = of_person(query, store_id, shopper, address).await?;
    let keys: Vec<[Arg<'_>; 2]> = ids.iter().map(|id| [store_id.into(), id.as_bytes().into()]).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| FIND.bind(key)).collect();
    let mut records = Vec::new();
    query
        .query_all(&batch, &mut |_, row| {
            let mut out = Vec::new();
            let mut object = Object::open(&mut out);
            object.text("kind", row.text(0)?);
            object.flag("received", row.blob(1)? == recipient.id());
            // VersionedCache only until it is sent.
            object.opt_text("to", row.opt_text(2)?);
            object.flag("sent", row.int(3)? == SENT);
            object.int("cts", row.int(4)?);
            object.close();
            records.push(out);
            Ok(())
        })
        .await?;
    Ok(records)
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
             returning recipient_id, message_id, address, letter, created_at, attempts";
    REMOVE = "delete from mails where store_id = $1 and mail_id = $2 and state not in (0, 2) and due_at <= $3
              returning recipient_id";
    FINISH = "update mails set state = $1, address = null, letter = null, problem = null, due_at = $2, updated_at = $3
              where store_id = $4 and mail_id = $5 and state = 2 and attempts = $6";
    PUT_OFF = "update mails set state = $1, problem = $2, due_at = $3, updated_at = $4
               where store_id = $5 and mail_id = $6 and state = 2 and attempts = $7";
    BY_SHOPPER = "select mail_id from mails where store_id = $1 and shopper_id = $2";
    TO_RECIPIENT = "select mail_id from mails where store_id = $1 and recipient_id = $2";
    FIND = "select kind, recipient_id, address, state, created_at from mails where store_id = $1 and mail_id = $2";
    FORGET = "delete from mails where store_id = $1 and mail_id = $2 returning recipient_id";
    pub(crate) LISTS_OF_SHOPPER = "select count(*), coalesce(min(created_at), 0) from mails
        where store_id = $1 and shopper_id = $2 and created_at > $3 and kind = 'list'";
    pub(crate) LISTS_TO_RECIPIENT = "select count(*), coalesce(min(created_at), 0) from mails
        where store_id = $1 and recipient_id = $2 and created_at > $3 and kind = 'list'";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_are_spread_over_about_a_day() {
        let pauses: Vec<Millis> = (1..MOST_ATTEMPTS).map(pause).collect();
        assert_eq!(pauses[..3], [5_000, 15_000, 45_000]);
        let all: Millis = pauses.iter().sum();
        assert!((DAY * 3 / 4..2 * DAY).contains(&all), "{all}");
    }
}
