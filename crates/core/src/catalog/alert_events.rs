//! Events that shoppers can be alerted of. An event is written in the transaction of the catalogue change that causes it
//! (transactional outbox), as one row however many shoppers wait for it.

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, FromRow, Row, Tx};

use crate::catalog::availability::Availability;
use crate::catalog::topic::Topic;
use crate::error::Result;
use crate::moment::Moment;
use crate::stores::admin::StoreAdmin;
use crate::stores::alert_settings::AlertSettings;

const SECOND: i64 = 1_000;
/// Before every id: where the line is read from.
const FIRST_ID: [u8; 16] = [0; 16];

/// What alerts depend on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct VariantState {
    pub(crate) deleted: bool,
    /// `None` if stock is not tracked.
    pub(crate) stock: Option<i64>,
    pub(crate) price: Option<f64>,
    pub(crate) was_in_stock: bool,
}

impl VariantState {
    pub(crate) fn is_in_stock(&self) -> bool {
        !self.deleted && is_in_stock(self.stock)
    }

    pub(crate) fn availability(&self, low_stock: i64) -> Availability {
        Availability::new(self.stock, self.deleted, low_stock)
    }

    /// How many shoppers an event may reach; `None` for all. The other topics tell nothing of how many can buy.
    pub(crate) fn allowance(&self, topic: Topic, settings: &AlertSettings) -> Option<i64> {
        let (stock, per_unit) = (self.stock?, settings.alerts_per_unit?);
        (topic == Topic::BackInStock).then(|| stock.saturating_mul(per_unit))
    }
}

/// Untracked stock counts as available.
pub(crate) fn is_in_stock(stock: Option<i64>) -> bool {
    stock.is_none_or(|stock| stock > 0)
}

impl FromRow for VariantState {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            deleted: row.flag(0)?,
            stock: row.opt_int(1)?,
            price: row.opt_double(2)?,
            was_in_stock: row.flag(3)?,
        })
    }
}

/// A change of a variant; `before` is `None` for a variant that was not in the catalogue.
pub(crate) struct VariantChange {
    pub(crate) variant_id: i64,
    pub(crate) before: Option<VariantState>,
    pub(crate) after: VariantState,
    /// The price before the change, with its digits.
    pub(crate) previous_price: Option<String>,
}

impl VariantChange {
    fn has(&self, topic: Topic, settings: &AlertSettings) -> bool {
        let (before, after) = (self.before.as_ref(), &self.after);
        match topic {
            Topic::BackInStock => {
                before.is_some_and(|before| !before.is_in_stock())
                    && after.is_in_stock()
                    && after.stock.is_none_or(|stock| stock >= settings.alert_minimum)
            }
            Topic::ComingSoon => before.is_none_or(|before| !before.was_in_stock) && after.is_in_stock(),
            // A price that becomes known can be below a target.
            Topic::PriceDrop => after
                .price
                .is_some_and(|price| before.and_then(|before| before.price).is_none_or(|previous| price < previous)),
            Topic::LowStock => {
                let fell = |left: i64| {
                    before.is_some_and(|before| before.is_in_stock() && before.stock.is_none_or(|stock| left < stock))
                };
                after.is_in_stock()
                    && after.stock.is_some_and(|left| (1..=settings.low_stock).contains(&left) && fell(left))
            }
        }
    }
}

/// Records the events of changed variants that somebody waits for.
pub(crate) async fn record<T: Tx>(
    tx: &mut T,
    by: &StoreAdmin,
    changes: &[VariantChange],
    moment: &Moment,
) -> Result<()> {
    let settings = &by.store().settings.alerts;
    let events = changes.iter().flat_map(|change| {
        Topic::ALL.into_iter().filter(|topic| change.has(*topic, settings)).map(move |topic| (change, topic))
    });
    // After the ids that the feed itself may take.
    let events: Vec<(&VariantChange, Topic, Uuid)> =
        events.enumerate().map(|(n, (change, topic))| (change, topic, moment.id(n + 1))).collect();
    if events.is_empty() {
        return Ok(());
    }
    let rows: Vec<[Arg<'_>; 9]> = events
        .iter()
        .map(|(change, topic, event_id)| {
            let interval = if *topic == Topic::BackInStock { settings.alert_interval * SECOND } else { 0 };
            [
                event_id.as_bytes().into(),
                moment.now.into(),
                change.previous_price.as_ref().into(),
                change.after.allowance(*topic, settings).into(),
                (&FIRST_ID).into(),
                by.store_id().into(),
                change.variant_id.into(),
                topic.as_str().into(),
                interval.into(),
            ]
        })
        .collect();
    let batch: Vec<Bound<'_>> = rows.iter().map(|row| RECORD.bind(row)).collect();
    tx.execute_all(&batch).await?;
    Ok(())
}

statements! {
    pub(crate) STATE = "select deleted, stock, price, was_in_stock from products where store_id = $1 and variant_id = $2";
    // A new event replaces an earlier one, whose batches it continues.
    RECORD = "insert into alert_events (store_id, variant_id, topic, event_id, happened_at, previous_price, remaining,
                                        after_time, after_id, due_at)
              select s.store_id, s.variant_id, s.topic, $1, $2, $3, $4, 0, $5, $2 from subscriptions s
              where s.store_id = $6 and s.variant_id = $7 and s.topic = $8 and s.status = 0 limit 1
              on conflict (store_id, variant_id, topic) do update set
                event_id = excluded.event_id, happened_at = excluded.happened_at, previous_price = excluded.previous_price,
                remaining = excluded.remaining, after_time = excluded.after_time, after_id = excluded.after_id,
                due_at = case when alert_events.last_batch_at + $9 > excluded.due_at
                              then alert_events.last_batch_at + $9 else excluded.due_at end";
}
