//! A buffer of guest visits. Most calls only read and must not wait for a write, so a background job writes visits in
//! batches. A visit lost in a crash is replaced by the guest's next one.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use wishbone_core::identity::caller::Shopper;
use wishbone_core::moment::Millis;
use wishbone_core::privacy::guest_expiry::{RecordVisits, Visit};
use wishbone_storage::Database;

/// Maximum number of buffered visits; more are dropped.
const CAPACITY: usize = 20_000;
/// Visits per transaction.
const BATCH: usize = 500;

/// Visits not yet written, one per guest.
#[derive(Default)]
pub struct VisitBuffer(Mutex<HashMap<(i64, [u8; 16]), Visit>>);

impl VisitBuffer {
    /// Records a call. Causes at most one write per guest and day, and an immediate one only for a guest who is about to
    /// expire.
    pub async fn note(&self, database: &Database, by: &Shopper, now: Millis) {
        let Some(visit) = Visit::of(by, now) else { return };
        // Boxed, so that all other requests do not carry its state around.
        if visit.is_urgent && Box::pin(database.write(RecordVisits { visits: vec![visit] })).await.is_ok() {
            return;
        }
        let mut buffer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buffer.len() < CAPACITY {
            buffer.insert(visit.guest(), visit);
        }
    }

    /// Takes a batch out of the buffer.
    pub(crate) fn take(&self) -> Vec<Visit> {
        let mut buffer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let guests: Vec<_> = buffer.keys().take(BATCH).copied().collect();
        guests.iter().filter_map(|guest| buffer.remove(guest)).collect()
    }
}
