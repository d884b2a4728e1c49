//! Mail preferences: what the owner of an address gets from a store, and the alerts that the address waits for. The link in
//! mails proves that its reader is the owner.

use uuid::Uuid;
use wishbone_storage::{FromRow, Query, Read, Row, Tx, Write};

use crate::catalog::topic::Topic;
use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::identity::shoppers::{self, MailChoices};
use crate::mail::message::REMINDER;
use crate::mail::recipients::{self, Recipient};
use crate::moment::Moment;
use crate::stores::record::{self, StoreRecord};
use crate::subscriptions::confirm::{ConfirmedProduct, product_of_subscription};
use crate::subscriptions::events;
use crate::subscriptions::row::{self, SubscriptionRow};
use crate::subscriptions::status::{SUPPRESSED, UNCONFIRMED};
use crate::subscriptions::unsubscribe::{resume, suppress};
use crate::tokens::Keys;
use crate::webhooks::event_type::EventType;

const PURPOSE: &[u8] = b"preferences";
/// Of the links in mails that people forward.
const FORWARDED: &[u8] = b"preferences of forwarded mail";

/// Alerts on a page.
const PAGE: i64 = 20;

/// The owner of an address, as the caller of a link that was mailed to it.
#[derive(Clone, Debug)]
pub struct PreferencesLink {
    store_id: i64,
    address: String,
    /// False if others may have the link: then it shows nothing of the owner, and only turns off.
    is_private: bool,
}

impl PreferencesLink {
    pub fn new(store_id: i64, address: &str) -> Self {
        Self { store_id, address: address.to_owned(), is_private: true }
    }

    /// The link in a mail that people forward.
    pub fn of_forwarded(store_id: i64, address: &str) -> Self {
        Self { is_private: false, ..Self::new(store_id, address) }
    }

    pub fn token(&self, keys: &Keys) -> Option<String> {
        let purpose = if self.is_private { PURPOSE } else { FORWARDED };
        keys.encrypt_token(purpose, &[&self.store_id.to_be_bytes()[..], self.address.as_bytes()].concat())
    }

    pub fn of_token(keys: &Keys, token: &str) -> Option<Self> {
        let decrypt = |purpose, is_private| Some((keys.decrypt_token(purpose, token)?, is_private));
        let (body, is_private) = decrypt(PURPOSE, true).or_else(|| decrypt(FORWARDED, false))?;
        let (store_id, address) = body.split_first_chunk()?;
        let address = String::from_utf8(address.to_vec()).ok()?;
        Some(Self { store_id: i64::from_be_bytes(*store_id), address, is_private })
    }

    pub fn recipient(&self) -> Recipient {
        Recipient::of_address(self.store_id, &self.address)
    }

    /// Normalized.
    pub fn address(&self) -> &str {
        &self.address
    }
}

/// What an address gets from a store.
#[derive(Clone, Debug)]
pub struct Preferences {
    /// False if the reader may be somebody else: then alerts, digest and reminders are not told.
    pub is_private: bool,
    /// True if it gets nothing.
    pub stopped: bool,
    /// Every topic, and whether it gets alerts about it.
    pub topics: Vec<(Topic, bool)>,
    /// Whether alerts come as a digest; `None` if the address is no shopper's.
    pub digest: Option<bool>,
    /// Whether it is reminded of lists; `None` if the shopper has not agreed to news of the store.
    pub reminders: Option<bool>,
    /// A page of alerts that it waits for, newest first.
    pub alerts: Vec<AwaitedAlert>,
    /// The number of that page, from 0: the first one if the one that was asked for is empty.
    pub page: i64,
    pub has_more: bool,
}

#[derive(Clone, Debug)]
pub struct AwaitedAlert {
    pub id: Uuid,
    pub product: ConfirmedProduct,
    pub state: AwaitedState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AwaitedState {
    Waiting,
    /// The address is not confirmed.
    Unconfirmed,
    /// Its topic, or all mail, is turned off.
    Off,
}

impl FromRow for AwaitedAlert {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let state = match row.int(5)? {
            UNCONFIRMED => AwaitedState::Unconfirmed,
            SUPPRESSED => AwaitedState::Off,
            _ => AwaitedState::Waiting,
        };
        Ok(Self { id: uuid(row, 4)?, product: ConfirmedProduct::from_row(row)?, state })
    }
}

struct RefusedTopic(String);

impl FromRow for RefusedTopic {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.text(0)?.to_owned()))
    }
}

pub struct FindPreferences {
    pub by: PreferencesLink,
    /// The number of the page of alerts, from 0.
    pub page: i64,
}

impl Read for FindPreferences {
    const NAME: &'static str = "find_preferences";
    type Out = Preferences;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Preferences> {
        let PreferencesLink { store_id, address, is_private } = &self.by;
        let recipient = self.by.recipient();
        let stopped = !recipients::find(query, &recipient).await?.accepts_mail();
        let refused: Vec<RefusedTopic> = query.rows(REFUSED.bind(&[(*store_id).into(), recipient.id().into()])).await?;
        let accepts = |topic: &str| refused.iter().all(|RefusedTopic(refused)| refused != topic);
        let accepted = |topic: Topic| (topic, accepts(topic.as_str()));
        if !is_private {
            return Ok(Preferences {
                is_private: false,
                stopped,
                topics: Topic::ALL.map(accepted).into(),
                digest: None,
                reminders: None,
                alerts: Vec::new(),
                page: 0,
                has_more: false,
            });
        }
        let choices = shoppers::mail_choices(query, *store_id, address).await?;
        let is_reminded = |choices: &&MailChoices| choices.accepts_marketing;
        let mut page = self.page;
        let mut alerts = self.alerts(query, page).await?;
        if alerts.is_empty() && page > 0 {
            // The last one of the page was ended.
            page = 0;
            alerts = self.alerts(query, page).await?;
        }
        let has_more = alerts.len() as i64 > PAGE;
        alerts.truncate(PAGE as usize);
        Ok(Preferences {
            is_private: true,
            stopped,
            topics: Topic::ALL.map(accepted).into(),
            digest: choices.as_ref().map(|choices| choices.alert_digest),
            reminders: choices.as_ref().filter(is_reminded).map(|_| accepts(REMINDER)),
            alerts,
            page,
            has_more,
        })
    }
}

impl FindPreferences {
    /// The alerts of a page, and one more if there are others.
    async fn alerts<Q: Query>(&self, query: &mut Q, page: i64) -> Result<Vec<AwaitedAlert>> {
        let PreferencesLink { store_id, address, .. } = &self.by;
        let args = [(*store_id).into(), address.into(), (PAGE + 1).into(), page.saturating_mul(PAGE).into()];
        Ok(query.rows(AWAITED.bind(&args)).await?)
    }
}

/// A change of preferences; `true` turns on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreferenceChange {
    /// Removes an alert that the address waits for.
    EndAlert(Uuid),
    Topic(Topic, bool),
    Digest(bool),
    Reminders(bool),
    All(bool),
}

impl PreferenceChange {
    /// True for what anybody may do who has a mail: it can only make mails fewer.
    fn turns_off(self) -> bool {
        matches!(self, Self::Topic(_, false) | Self::All(false))
    }
}

/// Changes the preferences of an address. Applies to what is queued too.
pub struct ChangePreferences {
    pub by: PreferencesLink,
    pub change: PreferenceChange,
    pub moment: Moment,
}

impl Write for ChangePreferences {
    const NAME: &'static str = "change_preferences";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let (PreferencesLink { store_id, address, is_private }, now) = (&self.by, self.moment.now);
        if !is_private && !self.change.turns_off() {
            return Ok(());
        }
        // A link outlives its store.
        let Some(store) = tx.first::<StoreRecord>(record::BY_ID.bind(&[(*store_id).into()])).await? else {
            return Ok(());
        };
        let recipient = self.by.recipient();
        let key = [(*store_id).into(), recipient.id().into()];
        match self.change {
            PreferenceChange::EndAlert(id) => self.end_alert(tx, &store, id).await?,
            PreferenceChange::Topic(topic, false) => {
                recipients::lock(tx, &recipient).await?;
                tx.execute(recipients::REFUSE_TOPIC.bind(&[key[0], key[1], topic.as_str().into(), now.into()])).await?;
                suppress(tx, *store_id, address, Some(topic), now).await?;
            }
            PreferenceChange::Topic(topic, true) => {
                let state = recipients::lock(tx, &recipient).await?;
                tx.execute(recipients::ACCEPT_TOPIC.bind(&[key[0], key[1], topic.as_str().into()])).await?;
                // Those who have stopped everything turn that on again by itself.
                if state.accepts_mail() {
                    resume(tx, &recipient, address, now).await?;
                }
            }
            PreferenceChange::Digest(digest) => shoppers::set_digest(tx, *store_id, address, digest, now).await?,
            PreferenceChange::Reminders(false) => {
                tx.execute(recipients::REFUSE_TOPIC.bind(&[key[0], key[1], REMINDER.into(), now.into()])).await?;
            }
            PreferenceChange::Reminders(true) => {
                tx.execute(recipients::ACCEPT_TOPIC.bind(&[key[0], key[1], REMINDER.into()])).await?;
            }
            PreferenceChange::All(false) => {
                tx.execute(recipients::SET_PREFERENCE.bind(&[key[0], key[1], now.into()])).await?;
                suppress(tx, *store_id, address, None, now).await?;
            }
            PreferenceChange::All(true) => {
                tx.execute(recipients::ACCEPT.bind(&key)).await?;
                resume(tx, &recipient, address, now).await?;
            }
        }
        Ok(())
    }
}

impl ChangePreferences {
    /// Removes a subscription, if it is the address's own, and whatever was requested of the same.
    async fn end_alert<T: Tx>(&self, tx: &mut T, store: &StoreRecord, id: Uuid) -> Result<()> {
        let found: Option<SubscriptionRow> =
            tx.first(row::BY_ID.bind(&[store.store_id.into(), id.as_bytes().into()])).await?;
        let Some(found) = found.filter(|row| row.address == self.by.address) else { return Ok(()) };
        if tx.execute(END.bind(&found.key(store.store_id))).await? > 0 {
            events::record(tx, store, EventType::SubscriptionRemoved, &[found], &self.moment).await?;
        }
        Ok(())
    }
}

// `variant_id > 0`, which is always true, and `between` make SQLite take the index by address.
statements! {
    REFUSED = "select topic from refused_topics where store_id = $1 and recipient_id = $2";
    END = "delete from subscriptions
           where store_id = $1 and address = $2 and variant_id between $3 and $3 and topic = $4";
    // Of several requests for the same, one is shown, unless the address waits for it.
    AWAITED = concat!(product_of_subscription!(", s.subscription_id, s.status"), "
        where s.store_id = $1 and s.address = $2 and s.variant_id > 0 and s.status not in (1, 3) and not (s.status = 4 and (
          exists (select 1 from subscriptions o
                  where o.store_id = $1 and o.address = $2 and o.variant_id = s.variant_id and o.topic = s.topic
                    and o.status <> 4 and o.status not in (1, 3))
          or exists (select 1 from subscriptions o
                     where o.store_id = $1 and o.address = $2 and o.variant_id = s.variant_id and o.topic = s.topic
                       and o.status = 4 and o.subscription_id < s.subscription_id)))
        order by s.waiting_since desc, s.subscription_id limit $3 offset $4");
}
