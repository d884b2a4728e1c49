//! Who watches their lists on this node.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use wishbone_core::lists::changes::ListsState;

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
    watched: Mutex<HashMap<WatcherKey, watch::Sender<Arc<ListsState>>>>,
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

    /// Starts to watch a shopper's lists, whose state was just read.
    pub(crate) fn watch(&self, key: WatcherKey, state: &Arc<ListsState>) -> watch::Receiver<Arc<ListsState>> {
        let mut states = self.watched().entry(key).or_insert_with(|| watch::Sender::new(Arc::clone(state))).subscribe();
        // Published for another stream since the state was read.
        if states.borrow().stamp > state.stamp {
            states.mark_changed();
        }
        states
    }

    /// Those who are watched and the stamps that were last seen, by store. Forgets those whose streams have ended.
    pub(crate) fn last_seen(&self) -> Vec<(WatcherKey, i64)> {
        let mut watched = self.watched();
        watched.retain(|_, states| states.receiver_count() > 0);
        let mut seen: Vec<_> = watched.iter().map(|(key, states)| (*key, states.borrow().stamp)).collect();
        drop(watched);
        seen.sort_unstable_by_key(|(key, _)| *key);
        seen
    }

    pub(crate) fn publish(&self, key: &WatcherKey, state: ListsState) {
        if let Some(states) = self.watched().get(key) {
            states.send_replace(Arc::new(state));
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

    fn watched(&self) -> MutexGuard<'_, HashMap<WatcherKey, watch::Sender<Arc<ListsState>>>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
