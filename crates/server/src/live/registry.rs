//! Who watches their lists on this node.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use wishbone_core::lists::live::{ListsDigest, ListsSnapshot};

use crate::limit_key::LimitKey;
use crate::slot_limiter::{Slot, SlotLimiter};

/// Streams of this node. Each takes about 16 KiB.
const MAX_STREAMS: usize = 10_000;
/// Streams of one shopper: devices and tabs.
pub(crate) const MAX_STREAMS_OF_SHOPPER: usize = 20;
/// While the server is overloaded, lists are compared this rarely.
const LONG_PAUSE: Duration = Duration::from_secs(3);

/// A store's id and a shopper's.
pub(crate) type WatcherKey = (i64, [u8; 16]);

pub(crate) struct LiveLists {
    slots: Arc<SlotLimiter<LimitKey>>,
    /// Streams of the same shopper share what was last seen.
    watched: Mutex<HashMap<WatcherKey, watch::Sender<Arc<ListsSnapshot>>>>,
    compared_at: Mutex<Option<Instant>>,
    closing: watch::Sender<bool>,
}

impl Default for LiveLists {
    fn default() -> Self {
        Self {
            slots: SlotLimiter::new(MAX_STREAMS, MAX_STREAMS_OF_SHOPPER),
            watched: Mutex::default(),
            compared_at: Mutex::default(),
            closing: watch::Sender::new(false),
        }
    }
}

impl LiveLists {
    /// Takes a slot for one more stream, or returns `None` at the limit.
    pub(crate) fn acquire(&self, caller: LimitKey) -> Option<Slot<LimitKey>> {
        self.slots.acquire(Some(caller))
    }

    /// Starts to watch a shopper's lists, of which a snapshot was just taken.
    pub(crate) fn watch(&self, key: WatcherKey, snapshot: &Arc<ListsSnapshot>) -> watch::Receiver<Arc<ListsSnapshot>> {
        self.watched().entry(key).or_insert_with(|| watch::Sender::new(Arc::clone(snapshot))).subscribe()
    }

    /// Those who are watched and what was last seen, by store. Forgets those whose streams have ended.
    pub(crate) fn last_seen(&self) -> Vec<(WatcherKey, ListsDigest)> {
        let mut watched = self.watched();
        watched.retain(|_, snapshots| snapshots.receiver_count() > 0);
        let mut seen: Vec<_> = watched.iter().map(|(key, snapshots)| (*key, snapshots.borrow().digest)).collect();
        drop(watched);
        seen.sort_unstable_by_key(|(key, _)| *key);
        seen
    }

    pub(crate) fn publish(&self, key: &WatcherKey, snapshot: ListsSnapshot) {
        if let Some(snapshots) = self.watched().get(key) {
            snapshots.send_replace(Arc::new(snapshot));
        }
    }

    /// True if lists are to be compared now: always while the server has time, and rarely while it has not.
    pub(crate) fn is_due(&self, is_overloaded: bool) -> bool {
        let mut compared_at = self.compared_at.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = !is_overloaded || compared_at.is_none_or(|at| at.elapsed() >= LONG_PAUSE);
        if is_due {
            *compared_at = Some(Instant::now());
        }
        is_due
    }

    /// Ends all streams.
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Becomes true when streams end.
    pub(crate) fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<WatcherKey, watch::Sender<Arc<ListsSnapshot>>>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
