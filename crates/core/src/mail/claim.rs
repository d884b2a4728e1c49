//! Claims due mails.

use wishbone_storage::{FromRow, Row, Tx, Write};

use crate::error::{Error, Result};
use crate::mail::message::{Message, REMINDER};
use crate::mail::outcome::{MAX_ATTEMPTS, finish, record_problem};
use crate::mail::queue::{DueMail, FAILED, RETENTION, UNSUBSCRIBED};
use crate::mail::recipients::{self, Recipient};
use crate::moment::Millis;
use crate::operator::Operator;
use crate::stores::record::{self, StoreRecord};
use crate::tokens::ShopperId;

/// How long a node may take to send a claimed mail. The sender times out well before.
pub(crate) const LEASE: Millis = 150_000;

/// A mail that only this node may send, until the lease expires.
#[derive(Clone, Debug)]
pub struct ClaimedMail {
    pub due: DueMail,
    pub recipient: Recipient,
    pub message_id: String,
    pub address: String,
    /// Encoded, so that content that cannot be decoded fails one mail and not the job.
    content: String,
    /// The shopper who caused it, if it was one.
    pub shopper: Option<ShopperId>,
    pub created_at: Millis,
    pub(super) attempt: i64,
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
        if row.kind == REMINDER && !self.may_remind(tx, &row, &recipient).await? {
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
            shopper: row.shopper_id.as_deref().map(ShopperId::from_slice).transpose()?,
            created_at: row.created_at,
            attempt: row.attempts,
        }))
    }
}

impl ClaimMail {
    /// Drops a reminder if the shopper has withdrawn consent or turned reminders off, and postpones it in quiet hours. True if it may be sent.
    async fn may_remind<T: Tx>(&self, tx: &mut T, row: &ClaimedRow, recipient: &Recipient) -> Result<bool> {
        let DueMail { store_id, mail_id } = self.mail;
        let shopper = [store_id.into(), row.shopper_id.as_ref().into()];
        let has_consent = tx.first::<i64>(CONSENT.bind(&shopper)).await?.is_some();
        if !has_consent || recipients::refuses(tx, recipient, REMINDER).await? {
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

struct RecipientId(Vec<u8>);

impl FromRow for RecipientId {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.blob(0)?.to_owned()))
    }
}

// A claimed mail (2) whose lease has expired is due like a queued one (0).
statements! {
    CLAIM = "update mails set state = 2, attempts = attempts + 1, due_at = $1, updated_at = $2
             where store_id = $3 and mail_id = $4 and state in (0, 2) and due_at <= $2
             returning recipient_id, message_id, address, content, created_at, attempts, kind, shopper_id";
    CONSENT = "select accepts_marketing from shoppers where store_id = $1 and shopper_id = $2 and accepts_marketing = 1";
    POSTPONE = "update mails set state = 0, attempts = attempts - 1, due_at = $1
                where store_id = $2 and mail_id = $3 and state = 2";
    REMOVE = "delete from mails where store_id = $1 and mail_id = $2 and state not in (0, 2) and due_at <= $3
              returning recipient_id";
}
