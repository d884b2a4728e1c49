//! Notes that guests were here. Most calls only read, and must not wait for a write: visits are gathered and written
//! now and then. One that is lost in a crash is made up for by the next.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use wishbone_core::Millis;
use wishbone_core::Result;
use wishbone_core::caller::Shopper;
use wishbone_core::guests::{NoteVisits, Visit};
use wishbone_store::Store;

use super::{Job, Rest};
use crate::app::App;

/// Visits that wait at most; more are not noted now.
const MOST: usize = 20_000;
/// Visits of one transaction.
const BATCH: usize = 500;

/// Visits that are not written yet, one for each guest.
#[derive(Default)]
pub struct Visits(Mutex<HashMap<(i64, [u8; 16]), Visit>>);

impl Visits {
    /// Notes a call. Writes at most once a day for each guest, and at once only for one whom the clean-up might be
    /// removing at this moment.
    pub async fn note(&self, store: &Store, by: &Shopper, now: Millis) {
        let Some(visit) = Visit::of(by, now) else { return };
        if visit.is_urgent && store.write(NoteVisits { visits: vec![visit] }).await.is_ok() {
            return;
        }
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MOST {
            waiting.insert(visit.guest(), visit);
        }
    }

    fn take(&self) -> Vec<Visit> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let guests: Vec<_> = waiting.keys().take(BATCH).copied().collect();
        guests.iter().filter_map(|guest| waiting.remove(guest)).collect()
    }
}

pub(super) struct NoteGuests;

impl Job for NoteGuests {
    const NAME: &'static str = "note visits";
    const PAUSE: Duration = Duration::from_secs(10);

    async fn step(app: &App) -> Result<Rest> {
        write_visits(app).await
    }
}

/// Writes some of what was gathered.
pub async fn write_visits(app: &App) -> Result<Rest> {
    let visits = app.visits.take();
    if visits.is_empty() {
        return Ok(Rest::UntilWoken);
    }
    app.store.write(NoteVisits { visits }).await?;
    Ok(Rest::Short)
}
