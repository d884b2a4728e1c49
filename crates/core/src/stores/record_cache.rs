//! Records of stores in memory: one per store, shared by its callers.
//!
//! Each look-up of a caller returns the stamp of the record, and a known record is valid while the stamp is unchanged, for some
//! seconds at most, which bounds staleness after changes by hand. Then only the stamp needs to be read, which costs less than
//! the record.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::stores::record::StoreRecord;

const MAX_AGE: Duration = Duration::from_secs(10);

#[derive(Default)]
pub struct RecordCache {
    records: Mutex<HashMap<i64, Known>>,
}

struct Known {
    record: Arc<StoreRecord>,
    stamp: i64,
    read_at: Instant,
}

impl RecordCache {
    /// The record of a store, and the stamp that the store must still have.
    pub(crate) fn find(&self, store_id: i64, pid: &str) -> Option<(i64, Arc<StoreRecord>)> {
        let records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            records.get(&store_id).filter(|known| known.record.pid == pid && known.read_at.elapsed() < MAX_AGE)?;
        Some((known.stamp, Arc::clone(&known.record)))
    }

    /// Adds a record with the stamp that was read before it. Returns the shared one.
    pub(crate) fn share(&self, record: StoreRecord, stamp: Option<i64>) -> Arc<StoreRecord> {
        let Some(stamp) = stamp else { return Arc::new(record) };
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let known = records.get(&record.store_id).filter(|known| *known.record == record);
        let record = known.map_or_else(|| Arc::new(record), |known| Arc::clone(&known.record));
        records.insert(record.store_id, Known { record: Arc::clone(&record), stamp, read_at: Instant::now() });
        record
    }
}
