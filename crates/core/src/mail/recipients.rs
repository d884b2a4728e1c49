//! Recipients, stored by a hash of their address. The link in every mail authenticates them and lets them unsubscribe from a
//! store.

use wishbone_storage::{FromRow, Query, Read, Row, Tx, Write};

use crate::catalog::topic::Topic;
use crate::error::{Error, Result};
use crate::mail::medium::Medium;
use crate::moment::Millis;
use crate::stores::record;
use crate::tokens::{Keys, hash};

const PURPOSE: &[u8] = b"recipient";
const MAILBOX: &[u8] = b"mailbox";
const ID_LENGTH: usize = 32;

/// Reasons for which a recipient gets no alerts.
pub(crate) const UNSUBSCRIBED: &str = "the recipient has unsubscribed";
const NO_MAILBOX: &str = "mail to this address came back: it does not exist";

/// A recipient of a store's mail, and the caller of its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipient {
    store_id: i64,
    id: [u8; ID_LENGTH],
}

impl Recipient {
    /// `address` is normalized.
    pub(crate) fn of_address(store_id: i64, address: &str) -> Self {
        Self { store_id, id: hash(PURPOSE, &[&store_id.to_be_bytes(), address.as_bytes()]) }
    }

    pub(crate) fn from_row(store_id: i64, id: &[u8]) -> wishbone_storage::Result<Self> {
        Ok(Self { store_id, id: id.try_into().map_err(wishbone_storage::Error::bug)? })
    }

    pub(crate) fn store_id(&self) -> i64 {
        self.store_id
    }

    pub(crate) fn id(&self) -> &[u8; ID_LENGTH] {
        &self.id
    }

    /// The token in the link of a mail.
    pub fn token(&self, keys: &Keys) -> String {
        keys.seal(PURPOSE, &[], &[&self.store_id.to_be_bytes()[..], &self.id].concat())
    }

    pub fn of_token(keys: &Keys, token: &str) -> Option<Self> {
        let body = keys.unseal(PURPOSE, &[], token)?;
        let (store_id, id) = body.split_at_checked(8)?;
        Some(Self { store_id: i64::from_be_bytes(store_id.try_into().ok()?), id: id.try_into().ok()? })
    }
}

/// What mail of a store a recipient accepts.
#[derive(Clone, Debug)]
pub struct MailPreference {
    pub unsubscribed: bool,
    pub refuses_topic: bool,
}

pub struct FindMailPreference {
    pub by: Recipient,
    pub topic: Option<Topic>,
}

impl Read for FindMailPreference {
    const NAME: &'static str = "find_mail_preference";
    type Out = MailPreference;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let RecipientState { unsubscribed, .. } = find(query, &self.by).await?;
        let refuses_topic = match self.topic {
            Some(topic) => refuses(query, &self.by, topic.as_str()).await?,
            None => false,
        };
        Ok(MailPreference { unsubscribed, refuses_topic })
    }
}

/// Unsubscribes from the mail of a store, or subscribes again. Applies to queued mail too.
pub struct SetMailPreference {
    pub by: Recipient,
    pub unsubscribed: bool,
    pub now: Millis,
}

impl Write for SetMailPreference {
    const NAME: &'static str = "set_mail_preference";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        if !record::exists(tx, self.by.store_id).await? {
            return Ok(());
        }
        let since = self.unsubscribed.then_some(self.now);
        tx.execute(SET_PREFERENCE.bind(&[self.by.store_id.into(), (&self.by.id).into(), since.into()])).await?;
        Ok(())
    }
}

/// Whether mail can be sent to a recipient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecipientState {
    pub(crate) unsubscribed: bool,
    /// The mail server says that the address does not exist.
    pub(crate) suppressed: bool,
}

impl RecipientState {
    pub(crate) fn accepts_mail(self) -> bool {
        !self.unsubscribed && !self.suppressed
    }
}

impl FromRow for RecipientState {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { unsubscribed: row.opt_int(0)?.is_some(), suppressed: row.opt_int(1)?.is_some() })
    }
}

/// Locks a recipient's row, which is created for a first mail.
pub(crate) async fn lock<T: Tx>(tx: &mut T, recipient: &Recipient) -> Result<RecipientState> {
    let row = tx.first(LOCK.bind(&[recipient.store_id.into(), (&recipient.id).into()])).await?;
    row.ok_or_else(|| Error::internal("the recipient's row was not returned"))
}

/// Locks the recipient of a message that somebody has sent to an address of his choice. Whoever has stopped all mail to one
/// spelling of the address gets none of these to another.
pub(crate) async fn lock_chosen<T: Tx>(
    tx: &mut T,
    recipient: &Recipient,
    medium: Medium,
    address: &str,
) -> Result<RecipientState> {
    let store_id = recipient.store_id.into();
    let mailbox = hash(MAILBOX, &[&recipient.store_id.to_be_bytes(), medium.mailbox(address).as_bytes()]);
    let row = tx.first(LOCK_CHOSEN.bind(&[store_id, (&recipient.id).into(), (&mailbox).into()])).await?;
    let state: RecipientState = row.ok_or_else(|| Error::internal("the recipient's row was not returned"))?;
    let is_stopped = tx.first::<i64>(STOPPED.bind(&[store_id, (&mailbox).into()])).await?.is_some();
    Ok(RecipientState { unsubscribed: state.unsubscribed || is_stopped, ..state })
}

/// The state of a recipient, who may have no row yet.
pub(crate) async fn find<Q: Query>(query: &mut Q, recipient: &Recipient) -> Result<RecipientState> {
    let found = query.first(FIND.bind(&[recipient.store_id.into(), (&recipient.id).into()])).await?;
    Ok(found.unwrap_or(RecipientState { unsubscribed: false, suppressed: false }))
}

/// Suppresses mail to an address that does not exist.
pub(crate) async fn suppress<T: Tx>(tx: &mut T, recipient: &Recipient, because: &str, now: Millis) -> Result<()> {
    let args = [recipient.store_id.into(), (&recipient.id).into(), now.into(), because.into()];
    tx.execute(SUPPRESS.bind(&args)).await?;
    Ok(())
}

/// Subscribes again, or lifts the suppression of an address, at the wish of the recipient or of the store.
pub(crate) async fn accept<T: Tx>(tx: &mut T, recipient: &Recipient, topic: Topic) -> Result<()> {
    let key = [recipient.store_id.into(), (&recipient.id).into(), topic.as_str().into()];
    tx.execute_all(&[ACCEPT.bind(&key[..2]), ACCEPT_TOPIC.bind(&key)]).await?;
    Ok(())
}

pub(crate) async fn lift_suppression<T: Tx>(tx: &mut T, recipient: &Recipient) -> Result<()> {
    tx.execute(LIFT_SUPPRESSION.bind(&[recipient.store_id.into(), (&recipient.id).into()])).await?;
    Ok(())
}

/// True if a recipient wants no alerts about a topic, or no [reminders](crate::mail::message::REMINDER).
pub(crate) async fn refuses<Q: Query>(query: &mut Q, recipient: &Recipient, topic: &str) -> Result<bool> {
    let key = [recipient.store_id.into(), (&recipient.id).into(), topic.into()];
    Ok(query.first::<i64>(REFUSES_TOPIC.bind(&key)).await?.is_some())
}

/// Why a recipient in this state gets no alerts about a topic.
pub(crate) async fn refusal<Q: Query>(
    query: &mut Q,
    recipient: &Recipient,
    state: RecipientState,
    topic: Topic,
) -> Result<Option<&'static str>> {
    if state.suppressed {
        return Ok(Some(NO_MAILBOX));
    }
    Ok((state.unsubscribed || refuses(query, recipient, topic.as_str()).await?).then_some(UNSUBSCRIBED))
}

/// Deletes a recipient who has no mails and is not unsubscribed.
pub(crate) async fn delete_unused<T: Tx>(tx: &mut T, recipient: &Recipient) -> Result<()> {
    tx.execute(DELETE_UNUSED.bind(&[recipient.store_id.into(), (&recipient.id).into()])).await?;
    Ok(())
}

statements! {
    LOCK = "insert into recipients (store_id, recipient_id) values ($1, $2)
            on conflict (store_id, recipient_id) do update set recipient_id = excluded.recipient_id
            returning refused_at, suppressed_at";
    LOCK_CHOSEN = "insert into recipients (store_id, recipient_id, mailbox_id) values ($1, $2, $3)
                   on conflict (store_id, recipient_id) do update set mailbox_id = excluded.mailbox_id
                   returning refused_at, suppressed_at";
    // `refused_at > 0`, which is as true as that it is not null, makes SQLite take the index.
    STOPPED = "select refused_at from recipients where store_id = $1 and mailbox_id = $2 and refused_at > 0 limit 1";
    pub(crate) SET_PREFERENCE = "insert into recipients (store_id, recipient_id, refused_at) values ($1, $2, $3)
                      on conflict (store_id, recipient_id) do update set refused_at = excluded.refused_at";
    FIND = "select refused_at, suppressed_at from recipients where store_id = $1 and recipient_id = $2";
    SUPPRESS = "insert into recipients (store_id, recipient_id, suppressed_at, suppressed_because) values ($1, $2, $3, $4)
                on conflict (store_id, recipient_id) do update set
                  suppressed_at = excluded.suppressed_at, suppressed_because = excluded.suppressed_because";
    LIFT_SUPPRESSION = "update recipients set suppressed_at = null, suppressed_because = null
                        where store_id = $1 and recipient_id = $2";
    pub(crate) ACCEPT = "update recipients set refused_at = null, suppressed_at = null, suppressed_because = null
              where store_id = $1 and recipient_id = $2";
    pub(crate) ACCEPT_TOPIC = "delete from refused_topics where store_id = $1 and recipient_id = $2 and topic = $3";
    REFUSES_TOPIC = "select refused_at from refused_topics where store_id = $1 and recipient_id = $2 and topic = $3";
    pub(crate) REFUSE_TOPIC = "insert into refused_topics (store_id, recipient_id, topic, refused_at) values ($1, $2, $3, $4)
                               on conflict (store_id, recipient_id, topic) do nothing";
    DELETE_UNUSED = "delete from recipients where store_id = $1 and recipient_id = $2 and refused_at is null
                     and suppressed_at is null and not exists (select 1 from mails m where m.store_id = $1 and m.recipient_id = $2)";
}
