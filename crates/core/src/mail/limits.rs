//! Limits on messages that callers have sent to addresses of their choice: per shopper, per client address, per recipient,
//! and per store and hour. What is queued needs a [`Permit`], which only these limits grant.
//!
//! A counter is a row with the start of its window and the messages since, which makes the limits exact and the same on all
//! nodes. A call that is rejected counts nothing.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use wishbone_storage::{Arg, FromRow, Query, Read, Row, Tx, Write};

use crate::error::{Error, Limit, Result};
use crate::identity::caller::Shopper;
use crate::mail::medium::Medium;
use crate::moment::{DAY, HOUR, Millis};
use crate::operator::Operator;
use crate::stores::admin::StoreAdmin;
use crate::tokens::hash;

/// Messages per hour that all browser guests at one client address can cause.
pub const PER_CLIENT: i64 = 60;
/// Test mails per hour and store.
pub const PER_STORE_TESTS: i64 = 20;

const PURPOSE: &[u8] = b"message limit";
/// How long a counter is stored: no period is longer.
pub const RETENTION: Millis = DAY;

/// The permission to queue one message.
#[must_use]
pub(crate) struct Permit(());

impl Permit {
    /// For what the server sends by itself, to an address that is not a caller's choice.
    pub(crate) fn of_job(_: Operator) -> Self {
        Self(())
    }

    /// For a mail that the store sends to try its templates.
    pub(crate) async fn of_test<T: Tx>(tx: &mut T, by: &StoreAdmin, now: Millis) -> Result<Self> {
        let window = Window { max: PER_STORE_TESTS, period: Period::Hour, who: "a store may send", what: "test mails" };
        window.take(tx, by.store_id(), "test", now).await?;
        Ok(Self(()))
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Period {
    Hour,
    Day,
}

impl Period {
    pub(crate) const fn millis(self) -> Millis {
        match self {
            Self::Hour => HOUR,
            Self::Day => DAY,
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
        }
    }
}

/// Messages of a kind per hour that one shopper may cause.
#[derive(Clone, Copy)]
pub(crate) struct PerShopper {
    pub(crate) max: i64,
    pub(crate) who: &'static str,
    pub(crate) what: &'static str,
}

/// The messages of a period, and what an error says of them: "`an address may receive` 5 `lists` per hour".
pub(crate) struct Window {
    pub(crate) max: i64,
    pub(crate) period: Period,
    pub(crate) who: &'static str,
    pub(crate) what: &'static str,
}

/// A client address, or the network around it, for which the messages of all browser guests are counted.
#[derive(Clone, Debug)]
pub struct ClientCounter {
    pub name: String,
    /// How many times as many messages it may cause as one address.
    pub factor: i64,
}

/// A shopper's call that has a message sent.
pub(crate) struct Request<'a> {
    pub(crate) by: &'a Shopper,
    pub(crate) clients: &'a [ClientCounter],
    pub(crate) medium: Medium,
    /// Normalized.
    pub(crate) address: &'a str,
    /// The kind of message, as in `mails`.
    pub(crate) kind: &'static str,
    /// True if the shopper has confirmed the address before. Strangers cannot use up what is left for such a shopper.
    pub(crate) has_confirmed: bool,
    /// `None` if the shopper's own rows are limited.
    pub(crate) per_shopper: Option<PerShopper>,
    pub(crate) per_recipient: Window,
    pub(crate) now: Millis,
}

impl Request<'_> {
    /// Counts the message, or fails if it is one too many.
    pub(crate) async fn admit<T: Tx>(&self, tx: &mut T) -> Result<Permit> {
        let (store_id, now) = (self.by.store_id(), self.now);
        self.check_shopper(tx).await?;
        for ClientCounter { name, factor } in self.clients.iter().filter(|_| self.by.is_browser_guest()) {
            let (who, what) = match factor {
                1 => ("guests at one client address may have", "messages sent"),
                _ => ("guests in one network may have", "messages sent"),
            };
            let window = Window { max: PER_CLIENT * factor, period: Period::Hour, who, what };
            let counter = format!("from:{}", digest(&[name.as_bytes()]));
            window.take(tx, store_id, &counter, now).await?;
        }
        self.per_recipient.take(tx, store_id, &self.recipient_counter(), now).await?;
        self.count_of_store(tx).await?;
        Ok(Permit(()))
    }

    /// The rows of the queue make this a sliding hour; it is exact, since the shopper's row is locked.
    async fn check_shopper<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let Some(PerShopper { max, who, what }) = self.per_shopper else { return Ok(()) };
        let since = self.now - HOUR;
        let args = [self.by.store_id().into(), (&self.by.id().0).into(), since.into(), self.kind.into()];
        let recent: Option<Counted> = tx.first(OF_SHOPPER.bind(&args)).await?;
        let Counted { count, since } =
            recent.filter(|recent| recent.count > 0).unwrap_or(Counted { count: 0, since: self.now });
        if count < max {
            Ok(())
        } else {
            Err(Window { max, period: Period::Hour, who, what }.exceeded(since, self.now))
        }
    }

    fn recipient_counter(&self) -> String {
        let mailbox = self.medium.mailbox(self.address);
        let own: &[u8] = if self.has_confirmed { &self.by.id().0 } else { &[] };
        format!("to:{}:{}", self.kind, digest(&[mailbox.as_bytes(), own]))
    }

    async fn count_of_store<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let settings = &self.by.store().settings;
        let (max, what) = match self.medium {
            Medium::Email => (settings.mails_per_hour, "mails sent"),
            Medium::Sms => (settings.alerts.sms_per_hour, "SMS sent"),
        };
        // A quarter is left for those who are not strangers.
        let own = if self.has_confirmed || self.by.email().is_some() { max } else { max - max / 4 };
        let window = Window { max: own, period: Period::Hour, who: "all shoppers of this store may have", what };
        window.take(tx, self.by.store_id(), store_counter(self.medium), self.now).await.map_err(|error| {
            match error.limit {
                // The cause makes the log line a warning.
                Some(_) => {
                    Error { cause: Some(format!("the store's limit of {max} {what} per hour is reached")), ..error }
                }
                None => error,
            }
        })
    }
}

impl Window {
    async fn take<T: Tx>(&self, tx: &mut T, store_id: i64, counter: &str, now: Millis) -> Result<()> {
        let args = [store_id.into(), counter.into(), now.into(), (now - self.period.millis()).into()];
        let counted: Option<Counted> = tx.first(TAKE.bind(&args)).await?;
        let Counted { count, since } = counted.ok_or_else(|| Error::internal("the counter was not returned"))?;
        if count <= self.max { Ok(()) } else { Err(self.exceeded(since, now)) }
    }

    fn exceeded(&self, since: Millis, now: Millis) -> Error {
        let Self { max, period, who, what } = self;
        let retry_after = (since + period.millis() - now + 999) / 1_000;
        let message = format!("{who} {max} {what} per {}", period.as_str());
        Error::rate_limited(message, Limit { max: *max, retry_after: retry_after.max(1) })
    }
}

/// Messages that shoppers of a store have had sent, since the present hour of the limit began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentMessages {
    pub mails: i64,
    pub sms: i64,
}

pub struct FindSentMessages {
    pub by: Operator,
    pub store_id: i64,
    pub now: Millis,
}

impl Read for FindSentMessages {
    const NAME: &'static str = "find_sent_messages";
    type Out = SentMessages;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<SentMessages> {
        let key = |medium| [self.store_id.into(), store_counter(medium).into(), (self.now - HOUR).into()];
        let mails = query.first(SENT.bind(&key(Medium::Email))).await?;
        let sms = query.first(SENT.bind(&key(Medium::Sms))).await?;
        Ok(SentMessages { mails: mails.unwrap_or(0), sms: sms.unwrap_or(0) })
    }
}

/// Deletes some counters whose window is over.
pub struct PurgeCounters {
    pub by: Operator,
    pub store_id: i64,
    pub before: Millis,
    pub limit: i64,
}

impl Write for PurgeCounters {
    const NAME: &'static str = "purge_counters";
    type Out = u64;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<u64> {
        let expired: Vec<Counter> =
            tx.rows(EXPIRED.bind(&[self.store_id.into(), self.before.into(), self.limit.into()])).await?;
        let keys: Vec<[Arg<'_>; 3]> =
            expired.iter().map(|Counter(counter)| [self.store_id.into(), counter.into(), self.before.into()]).collect();
        Ok(tx.execute_all(&keys.iter().map(|key| DELETE.bind(key)).collect::<Vec<_>>()).await?.iter().sum())
    }
}

struct Counted {
    count: i64,
    since: Millis,
}

impl FromRow for Counted {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { count: row.int(0)?, since: row.int(1)? })
    }
}

struct Counter(String);

impl FromRow for Counter {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.text(0)?.to_owned()))
    }
}

statements! {
    OF_SHOPPER = "select count(*), coalesce(min(created_at), 0) from mails
                  where store_id = $1 and shopper_id = $2 and created_at > $3 and kind = $4";
    TAKE = "insert into message_counters (store_id, counter, since, messages) values ($1, $2, $3, 1)
            on conflict (store_id, counter) do update set
              messages = case when message_counters.since <= $4 then 1 else message_counters.messages + 1 end,
              since = case when message_counters.since <= $4 then excluded.since else message_counters.since end
            returning messages, since";
    SENT = "select messages from message_counters where store_id = $1 and counter = $2 and since > $3";
    EXPIRED = "select counter from message_counters where store_id = $1 and since < $2 order by since limit $3";
    DELETE = "delete from message_counters where store_id = $1 and counter = $2 and since < $3";
}

fn store_counter(medium: Medium) -> &'static str {
    match medium {
        Medium::Email => "store:email",
        Medium::Sms => "store:sms",
    }
}

fn digest(parts: &[&[u8]]) -> String {
    URL_SAFE_NO_PAD.encode(&hash(PURPOSE, parts)[..16])
}
