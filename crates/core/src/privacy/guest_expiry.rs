//! Guest expiry: visits are recorded, and guests without a visit for the store's `guest_days` are deleted with their data.

use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Sql, Tx, Write};

use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::identity::shoppers;
use crate::lists::changes;
use crate::lists::delete;
use crate::lists::row::ListId;
use crate::merging::journal::UNDO_TIME;
use crate::moment::{DAY, Millis};
use crate::operator::Operator;
use crate::stores::record::StoreRecord;
use crate::subscriptions::remove;
use crate::tokens::ShopperId;

/// A visit of a guest.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    guest: (i64, [u8; 16]),
    at: Millis,
    /// True if the guest expires within a day, so that the visit must be written at once.
    pub is_urgent: bool,
}

impl Visit {
    /// Returns the visit to record for a call; `None` for a guest without a row, or with a visit in the last day.
    pub fn of(by: &Shopper, now: Millis) -> Option<Self> {
        let seen_at = by.profile()?.seen_at.filter(|seen_at| *seen_at <= now - DAY)?;
        let is_urgent = seen_at <= expiry_limit(by.store(), now) + DAY;
        Some(Self { guest: by.fingerprint(), at: now, is_urgent })
    }

    pub fn guest(&self) -> (i64, [u8; 16]) {
        self.guest
    }
}

/// Lists of a guest that are deleted in one transaction.
const LISTS_PER_STEP: i64 = 200;

/// Guests with no visit after this time are expired.
fn expiry_limit(store: &StoreRecord, now: Millis) -> Millis {
    now - store.settings.guest_days * DAY
}

pub struct RecordVisits {
    pub visits: Vec<Visit>,
}

impl Write for RecordVisits {
    const NAME: &'static str = "record_visits";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let mut visits: Vec<&Visit> = self.visits.iter().collect();
        // Sorted, so that two nodes that record the same guests do not deadlock.
        visits.sort_unstable_by_key(|visit| visit.guest);
        let rows: Vec<[Arg<'_>; 3]> =
            visits.iter().map(|visit| [visit.at.into(), visit.guest.0.into(), (&visit.guest.1).into()]).collect();
        let batch: Vec<Bound<'_>> = rows.iter().map(|row| RECORD.bind(row)).collect();
        tx.execute_all(&batch).await?;
        Ok(())
    }
}

/// Finds expired guests of a store.
pub struct FindExpiredGuests {
    pub by: Operator,
    pub store: StoreRecord,
    pub now: Millis,
    pub limit: i64,
}

impl Read for FindExpiredGuests {
    const NAME: &'static str = "find_expired_guests";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<RemoveGuest>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let (store_id, now) = (self.store.store_id, self.now);
        let before = expiry_limit(&self.store, now);
        let guests: Vec<ShopperId> =
            query.rows(EXPIRED.bind(&[store_id.into(), before.into(), self.limit.into()])).await?;
        Ok(guests.into_iter().map(|guest| RemoveGuest { store_id, guest, now, lifetime: now - before }).collect())
    }
}

/// Deletes an expired guest, or some of the guest's lists if there are many. The lists become unreachable, and what they have is
/// deleted in small steps.
pub struct RemoveGuest {
    store_id: i64,
    guest: ShopperId,
    now: Millis,
    /// The time without a visit after which a guest expires.
    lifetime: Millis,
}

impl Write for RemoveGuest {
    const NAME: &'static str = "remove_guest";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let guest = [self.store_id.into(), (&self.guest.0).into()];
        // Checked again under the lock: the guest may have visited.
        let before = self.now - self.lifetime;
        let Some(found) = tx.first(LOCK.bind(&[guest[0], guest[1], before.into()])).await? else {
            return Ok(());
        };
        if matches!(found, GuestKind::Retired)
            && let Some(merged_at) =
                tx.first::<i64>(UNDOABLE.bind(&[guest[0], guest[1], (self.now - UNDO_TIME).into()])).await?
        {
            // An undo gives the guest everything back, so that what has stayed is kept as long.
            let seen_at = merged_at + UNDO_TIME - self.lifetime + 1;
            tx.execute(RECORD.bind(&[seen_at.into(), guest[0], guest[1]])).await?;
            return Ok(());
        }
        let remove: &[Sql] = match found {
            GuestKind::Guest => &[remove::DELETE_SUBSCRIPTIONS, changes::FORGET, DELETE],
            // The row has the device's epoch, which keeps the device from getting retired guests again.
            GuestKind::FirstOfDevice => &[remove::DELETE_SUBSCRIPTIONS, changes::FORGET, CLEAR],
            // The row keeps the regid of a merged guest retired.
            GuestKind::Retired => &[remove::DELETE_SUBSCRIPTIONS, changes::FORGET, shoppers::DISABLE_EXPIRY],
            GuestKind::LoggedIn => {
                tx.execute(shoppers::DISABLE_EXPIRY.bind(&guest)).await?;
                return Ok(());
            }
        };
        let lists: Vec<ListId> = tx.rows(LISTS.bind(&[guest[0], guest[1], LISTS_PER_STEP.into()])).await?;
        let count = i64::try_from(lists.len()).map_err(Error::internal)?;
        let keys: Vec<[Arg<'_>; 2]> = lists.iter().map(|ListId(id)| [guest[0], id.as_bytes().into()]).collect();
        let mut batch: Vec<Bound<'_>> =
            keys.iter().flat_map(|list| delete::DELETE_LATER.map(|sql| sql.bind(list))).collect();
        let counted = [count.into(), guest[0], guest[1]];
        batch.push(COUNT_DOWN.bind(&counted));
        // A guest with more lists is found again.
        if count < LISTS_PER_STEP {
            batch.extend(remove.iter().map(|sql| sql.bind(&guest)));
        }
        tx.execute_all(&batch).await?;
        Ok(())
    }
}

enum GuestKind {
    Guest,
    /// Reactivated by an undo; the device has later guests.
    FirstOfDevice,
    /// Merged into a shopper. Lists for which the shopper had no room expire with the guest.
    Retired,
    LoggedIn,
}

impl FromRow for GuestKind {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(match row.int(2)? {
            _ if row.opt_text(0)?.is_some() => Self::LoggedIn,
            _ if row.opt_blob(1)?.is_some() => Self::Retired,
            0 => Self::Guest,
            _ => Self::FirstOfDevice,
        })
    }
}

statements! {
    RECORD = "update shoppers set seen_at = $1 where store_id = $2 and shopper_id = $3 and seen_at < $1";
    EXPIRED = "select shopper_id from shoppers where store_id = $1 and seen_at <= $2 limit $3";
    LOCK = "update shoppers set generation = generation
            where store_id = $1 and shopper_id = $2 and seen_at <= $3 returning email, merged_into, device_epoch";
    UNDOABLE = "select merged_at from merges where store_id = $1 and guest_id = $2 and merged_at > $3 and undone_at is null";
    LISTS = "select list_id from lists where store_id = $1 and shopper_id = $2 order by ordinal limit $3";
    COUNT_DOWN = "update shoppers set list_count = list_count - $1 where store_id = $2 and shopper_id = $3";
    pub(crate) DELETE = "delete from shoppers where store_id = $1 and shopper_id = $2";
    CLEAR = "update shoppers set first_name = '', last_name = '', accepts_marketing = null, marketing_at = null,
                                 language = null, region = null, list_count = 0, seen_at = null
             where store_id = $1 and shopper_id = $2";
}
