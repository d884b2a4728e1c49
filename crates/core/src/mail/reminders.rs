//! Reminders of wishlists that nobody has touched for a number of days, which the store sets.
//!
//! `untouched_since` of a shopper is no later than the last change of the wishlists, or than the last time they were
//! examined. Shoppers for whom it is long ago are examined: either it is moved, or a reminder is queued. So a change of a
//! list writes nothing for reminders, and each shopper is examined about once in that number of days.

use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write};

use crate::catalog::alert_events::is_in_stock;
use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::lists::row::MAX_NAME_LENGTH;
use crate::mail::limits::Permit;
use crate::mail::message::{Message, MessageItem, REMINDER, ReminderItem, ReminderMessage};
use crate::mail::queue::{self, NewMail};
use crate::mail::recipients::{self, Recipient};
use crate::mail::shop_url::MailedUrl;
use crate::mail::text::MailText;
use crate::moment::{DAY, MINUTE, Millis, Moment};
use crate::operator::Operator;
use crate::stores::record::StoreRecord;
use crate::tokens::ShopperId;

/// Time between two batches of a store, on all nodes together.
const INTERVAL: Millis = MINUTE;
/// Reminders in a batch: 28,800 a day, so that a store that turns reminders on does not mail all of its shoppers at once.
const MAX_REMINDERS: usize = 20;
/// Shoppers examined in a batch.
const MAX_EXAMINED: i64 = 200;
/// Lists of a shopper that are searched for one to remind of, and the newest items that are searched in each.
const MAX_LISTS: i64 = 5;
const MAX_SEARCHED: i64 = 100;
/// Items in a mail.
const MAX_SHOWN: usize = 6;

/// The time before which lists must have been touched last; `None` if the store sends no reminders now.
fn untouched_before(store: &StoreRecord, now: Millis) -> Option<Millis> {
    let settings = &store.settings.alerts;
    let days = settings.reminder_days.filter(|_| settings.quiet_until(now).is_none())?;
    Some(now - days.saturating_mul(DAY))
}

/// Tells whether a store has shoppers to examine.
pub struct HasUntouched {
    store_id: i64,
    before: Millis,
}

impl HasUntouched {
    /// `None` if the store sends no reminders now.
    pub fn of(_: Operator, store: &StoreRecord, now: Millis) -> Option<Self> {
        Some(Self { store_id: store.store_id, before: untouched_before(store, now)? })
    }
}

impl Read for HasUntouched {
    const NAME: &'static str = "has_untouched";
    const SINGLE_STATEMENT: bool = true;
    type Out = bool;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<bool> {
        Ok(query.first::<i64>(ANY.bind(&[self.store_id.into(), self.before.into()])).await?.is_some())
    }
}

/// Examines a batch of a store's shoppers, and queues reminders.
pub struct QueueReminders {
    pub by: Operator,
    pub store: StoreRecord,
    /// The domain of message ids.
    pub domain: String,
    pub moment: Moment,
}

struct Examined {
    shopper: ShopperId,
    email: String,
    reminded_at: Option<Millis>,
    /// `None` without wishlists.
    touched_at: Option<Millis>,
}

impl FromRow for Examined {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            shopper: ShopperId::from_slice(row.blob(0)?)?,
            email: row.text(1)?.to_owned(),
            reminded_at: row.opt_int(2)?,
            touched_at: row.opt_int(3)?,
        })
    }
}

impl Write for QueueReminders {
    const NAME: &'static str = "queue_reminders";
    /// The number of reminders.
    type Out = usize;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<usize> {
        let (store_id, now) = (self.store.store_id, self.moment.now);
        let Some(before) = untouched_before(&self.store, now) else { return Ok(0) };
        let claim = [(now + INTERVAL).into(), store_id.into(), now.into()];
        // Another node may have been faster.
        if tx.first::<i64>(CLAIM.bind(&claim)).await?.is_none() {
            return Ok(0);
        }
        let examined: Vec<Examined> =
            tx.rows(EXAMINE.bind(&[store_id.into(), before.into(), MAX_EXAMINED.into()])).await?;
        let mut queued = 0;
        let mut moved = Vec::new();
        for shopper in &examined {
            let is_due = |at: &Millis| *at <= before && shopper.reminded_at.is_none_or(|last| last < *at);
            let since = match shopper.touched_at {
                Some(touched_at) if touched_at > before => touched_at,
                // Those who are left are examined first in the next batch.
                Some(at) if is_due(&at) && queued == MAX_REMINDERS => break,
                Some(at) if is_due(&at) && self.remind(tx, shopper, queued).await? => {
                    queued += 1;
                    continue;
                }
                _ => now,
            };
            moved.push((since, &shopper.shopper));
        }
        let rows: Vec<[Arg<'_>; 3]> =
            moved.iter().map(|(since, shopper)| [(*since).into(), store_id.into(), (&shopper.0).into()]).collect();
        let batch: Vec<Bound<'_>> = rows.iter().map(|row| MOVE.bind(row)).collect();
        tx.execute_all(&batch).await?;
        Ok(queued)
    }
}

impl QueueReminders {
    /// Queues a reminder, the `n`th of the batch. False if there is nothing to remind of, or the shopper wants no mail.
    async fn remind<T: Tx>(&self, tx: &mut T, shopper: &Examined, n: usize) -> Result<bool> {
        let (store_id, now) = (self.store.store_id, self.moment.now);
        let recipient = Recipient::of_address(store_id, &shopper.email);
        let accepts_mail = recipients::find(tx, &recipient).await?.accepts_mail();
        if !accepts_mail || recipients::refuses(tx, &recipient, REMINDER).await? {
            return Ok(false);
        }
        let Some(message) = self.message(tx, &shopper.shopper).await? else { return Ok(false) };
        // The shopper may have been erased, or have withdrawn consent, since the row was read.
        if tx.execute(REMINDED.bind(&[now.into(), store_id.into(), (&shopper.shopper.0).into()])).await? == 0 {
            return Ok(false);
        }
        let accepts_mail = recipients::lock(tx, &recipient).await?.accepts_mail();
        let mail = NewMail {
            shopper: Some(&shopper.shopper),
            recipient: &recipient,
            address: &shopper.email,
            message: Message::Reminder(message),
            domain: &self.domain,
        };
        queue::queue(tx, store_id, &mail, accepts_mail, Permit::of_job(self.by), &self.moment.part(n)).await?;
        Ok(true)
    }

    /// The newest items that are still available, of the list that was touched last and has any.
    async fn message<T: Tx>(&self, tx: &mut T, shopper: &ShopperId) -> Result<Option<ReminderMessage>> {
        let store_id = self.store.store_id;
        let settings = &self.store.settings;
        let lists = [store_id.into(), (&shopper.0).into(), MAX_LISTS.into()];
        for list in tx.rows::<RemindedList>(LISTS.bind(&lists)).await? {
            let args = [store_id.into(), list.list_id.as_bytes().into(), MAX_SEARCHED.into()];
            let items = tx.rows::<Available>(ITEMS.bind(&args)).await?.into_iter().filter_map(|Available(item)| item);
            let is_few = |stock: &i64| *stock <= settings.alerts.low_stock;
            let items: Vec<ReminderItem> =
                items.take(MAX_SHOWN).map(|(item, stock)| ReminderItem { item, left: stock.filter(is_few) }).collect();
            if !items.is_empty() {
                let page = settings.list_url.as_ref().filter(|_| list.public);
                return Ok(Some(ReminderMessage {
                    list: MailText::line(&list.name, MAX_NAME_LENGTH),
                    link: MailedUrl {
                        shop: page.map(|page| page.replace("{lid}", &list.list_id.to_string())),
                        given: None,
                    },
                    count: list.item_count,
                    items,
                }));
            }
        }
        Ok(None)
    }
}

struct RemindedList {
    list_id: uuid::Uuid,
    name: String,
    public: bool,
    item_count: i64,
}

impl FromRow for RemindedList {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            list_id: uuid(row, 0)?,
            name: row.text(1)?.to_owned(),
            public: row.flag(2)?,
            item_count: row.int(3)?,
        })
    }
}

/// An item with its stock; `None` if the catalogue does not have it in stock.
struct Available(Option<(MessageItem, Option<i64>)>);

impl FromRow for Available {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let stock = row.opt_int(4)?;
        let is_available = row.opt_int(5)? == Some(0) && is_in_stock(stock);
        Ok(Self(if is_available { Some((MessageItem::from_row(row)?, stock)) } else { None }))
    }
}

// Ordinals are never negative: the condition tells SQLite that the index by shopper is the narrower one.
statements! {
    ANY = "select untouched_since from shoppers
           where store_id = $1 and accepts_marketing = 1 and email is not null and untouched_since <= $2 limit 1";
    CLAIM = "update store_states set reminders_at = $1 where store_id = $2 and reminders_at <= $3 returning store_id";
    EXAMINE = "select shopper_id, email, reminded_at,
                      (select max(l.updated_at) from lists l
                       where l.store_id = $1 and l.shopper_id = shoppers.shopper_id and l.ordinal >= 0 and l.type = 'wl')
               from shoppers
               where store_id = $1 and accepts_marketing = 1 and email is not null and untouched_since <= $2
               order by untouched_since, shoppers.shopper_id limit $3";
    MOVE = "update shoppers set untouched_since = $1 where store_id = $2 and shopper_id = $3";
    REMINDED = "update shoppers set untouched_since = $1, reminded_at = $1
                where store_id = $2 and shopper_id = $3 and accepts_marketing = 1 and email is not null";
    LISTS = "select list_id, name, public, item_count from lists
             where store_id = $1 and shopper_id = $2 and ordinal >= 0 and type = 'wl' and archived = 0 and item_count > 0
             order by updated_at desc, list_id limit $3";
    ITEMS = "select p.fields, i.members, p.url, p.variant_id, p.stock, p.deleted
             from items i left join products p on p.store_id = $1 and p.variant_id = i.variant_id
             where i.store_id = $1 and i.list_id = $2
             order by i.added_at desc, i.seq desc limit $3";
}
