//! Visits of guests that wait to be written. Most calls only read and must not wait for a write. A visit that is lost in
//! a crash is made up for by the next.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use wishbone_core::identity::caller::Shopper;
use wishbone_core::moment::Millis;
use wishbone_core::privacy::guest_expiry::{RecordVisits, Visit};
use wishbone_storage::Database;

/// VisitBuffer that wait at most; more are not noted now.
const MOST: usize = 20_000;
/// VisitBuffer of one transaction.
const BATCH: usize = 500;

/// VisitBuffer that are not written yet, one for each guest.
#[derive(Default)]
pub struct VisitBuffer(Mutex<HashMap<(i64, [u8; 16]), Visit>>);

impl VisitBuffer {
    /// Notes a call. Writes at most once a day for each guest, and at once only for one whom the clean-up might be
    /// removing at this moment.
    pub async fn note(&self, database: &Database, by: &Shopper, now: Millis) {
        let Some(visit) = Visit::of(by, now) else { return };
        if visit.is_urgent && database.write(RecordVisits { visits: vec![visit] }).await.is_ok() {
            return;
        }
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MOST {
            waiting.insert(visit.guest(), visit);
        }
    }

    pub(crate) fn take(&self) -> Vec<Visit> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let guests: Vec<_> = waiting.keys().take(BATCH).copied().collect();
        guests.iter().filter_map(|guest| waiting.remove(guest)).collect()
    }
}
