//! Validates cached values against a version counter, without reading the database.
//!
//! This works only because all writes pass through this process, or are detected (see `external_writers`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::wal_index::WalIndex;
use crate::invalidation::{InvalidationKey, KEYS, WriteSet};

/// The version of a key whose change is being committed: readers may or may not see it.
const COMMITTING: u64 = u64::MAX;
/// No values of the change counter, which has 32 bits.
const UNKNOWN: u64 = u64::MAX;
const UNREADABLE: u64 = UNKNOWN - 1;

/// The version of the database at which a value was read.
#[derive(Clone, Copy, Debug)]
pub struct ReadVersion(u64);

/// The version at which each invalidation key last changed.
pub struct ChangeTracker {
    version: AtomicU64,
    /// The version of the last [`ChangeTracker::invalidate_all`].
    everything: AtomicU64,
    keys: Box<[AtomicU64]>,
    wal_index: Option<Arc<WalIndex>>,
    /// The change counter of the WAL index up to which all commits are accounted for.
    accounted: AtomicU64,
}

impl Default for ChangeTracker {
    /// A tracker for a database without external writers.
    fn default() -> Self {
        Self::new(None)
    }
}

impl ChangeTracker {
    pub(super) fn new(wal_index: Option<Arc<WalIndex>>) -> Self {
        Self {
            version: AtomicU64::new(0),
            everything: AtomicU64::new(0),
            keys: (0..KEYS).map(|_| AtomicU64::new(0)).collect(),
            wal_index,
            accounted: AtomicU64::new(UNKNOWN),
        }
    }

    /// The current version, to be taken before a value is read. `None` if another process has written and its change is
    /// not accounted for yet: until then no cached value is valid.
    pub fn read_version(&self) -> Option<ReadVersion> {
        let accounted = || self.accounted.load(Ordering::SeqCst);
        let is_current = self.change_counter().is_none_or(|counter| counter == accounted());
        is_current.then(|| ReadVersion(self.version.load(Ordering::SeqCst)))
    }

    /// True if a value read at `version` that depends on `keys` was still valid at the last call of
    /// [`ChangeTracker::read_version`]. A change invalidates it before any reader can see the change, and before the
    /// write is acknowledged.
    pub fn is_valid(&self, version: ReadVersion, keys: impl IntoIterator<Item = InvalidationKey>) -> bool {
        let is_unchanged = |changed: &AtomicU64| changed.load(Ordering::SeqCst) <= version.0;
        is_unchanged(&self.everything) && keys.into_iter().all(|key| is_unchanged(&self.keys[key.index()]))
    }

    /// Invalidates the keys before their commit.
    pub(super) fn begin_commit(&self, group: &[WriteSet]) {
        self.mark(group, COMMITTING);
    }

    /// Assigns the keys a new version after their commit, successful or not.
    pub(super) fn end_commit(&self, group: &[WriteSet]) {
        self.mark(group, self.next_version());
    }

    /// Invalidates every value: after a commit whose keys are unknown.
    pub(super) fn invalidate_all(&self) {
        self.everything.store(self.next_version(), Ordering::SeqCst);
    }

    fn next_version(&self) -> u64 {
        self.version.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn mark(&self, group: &[WriteSet], version: u64) {
        let keys = group.iter().flat_map(WriteSet::keys);
        keys.for_each(|key| self.keys[key.index()].store(version, Ordering::SeqCst));
    }

    /// The change counter of the WAL index. `None` if external writers are not tracked.
    pub(super) fn change_counter(&self) -> Option<u64> {
        self.wal_index.as_ref().map(|index| index.change_counter().map_or(UNREADABLE, u64::from))
    }

    /// Records that all commits up to this change counter are accounted for; `None` if that is unknown.
    pub(super) fn set_accounted(&self, change_counter: Option<u64>) {
        let known = change_counter.filter(|counter| *counter != UNREADABLE);
        self.accounted.store(known.unwrap_or(UNKNOWN), Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> [InvalidationKey; 2] {
        [InvalidationKey::new(1, b"a"), InvalidationKey::new(1, b"b")]
    }

    #[test]
    fn a_value_is_valid_until_one_of_its_keys_changes() {
        let (tracker, [a, b]) = (ChangeTracker::new(None), keys());
        let version = tracker.read_version().unwrap();
        let group = [WriteSet::of([a])];
        tracker.begin_commit(&group);
        tracker.end_commit(&group);
        assert!(!tracker.is_valid(version, [a]) && !tracker.is_valid(version, [b, a]));
        assert!(tracker.is_valid(version, [b]) && tracker.is_valid(tracker.read_version().unwrap(), [a, b]));
    }

    #[test]
    fn a_commit_with_unknown_keys_invalidates_every_value() {
        let (tracker, [a, _]) = (ChangeTracker::new(None), keys());
        let version = tracker.read_version().unwrap();
        tracker.invalidate_all();
        assert!(!tracker.is_valid(version, [a]) && !tracker.is_valid(version, []));
    }

    #[test]
    fn a_value_read_during_a_commit_is_never_valid() {
        let (tracker, [a, _]) = (ChangeTracker::new(None), keys());
        let group = [WriteSet::of([a])];
        tracker.begin_commit(&group);
        let version = tracker.read_version().unwrap();
        assert!(!tracker.is_valid(version, [a]), "the change may be visible already");
        tracker.end_commit(&group);
        assert!(!tracker.is_valid(version, [a]), "the change may not have been visible yet");
    }
}
