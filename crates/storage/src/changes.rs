//! Tells whether what was read is still so, without reading it again: for answers that are kept in memory.
//!
//! Only an engine whose writes all pass through this process can tell; see [`crate::Database::changes`].

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sqlite::Others;

/// Subjects share a slot now and then. That makes something kept be read again for nothing. It is rare while far fewer
/// subjects change in the time that things are kept: so many slots take 8 MiB.
const SLOTS: u32 = 1 << 20;
/// A change is being committed: it may be seen or not.
const UNDER_WAY: u64 = u64::MAX;

/// What rows are about. Whoever keeps an answer names the subjects it was made from, and whoever writes may promise to
/// change nothing but a few (see [`crate::Tx::touches_only`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidationKey(u32);

impl InvalidationKey {
    pub fn new(owner: i64, id: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        (owner, id).hash(&mut hasher);
        Self(hasher.finish() as u32 % SLOTS)
    }
}

/// When something was read, in changes instead of seconds.
#[derive(Clone, Copy, Debug)]
pub struct ReadVersion(u64);

/// When each subject last changed.
pub struct ChangeTracker {
    clock: AtomicU64,
    /// The last change that was not said to be about any subject.
    anything: AtomicU64,
    subjects: Box<[AtomicU64]>,
    others: Option<Others>,
}

impl Default for ChangeTracker {
    /// Of a database that nobody writes to.
    fn default() -> Self {
        Self::new(None)
    }
}

impl ChangeTracker {
    pub(crate) fn new(others: Option<Others>) -> Self {
        let subjects = (0..SLOTS).map(|_| AtomicU64::new(0)).collect();
        Self { clock: AtomicU64::new(0), anything: AtomicU64::new(0), subjects, others }
    }

    /// To be asked when something is to be read. `None`: another process has written, and until this one has taken note
    /// of it nothing that is kept can be trusted.
    pub fn now(&self) -> Option<ReadVersion> {
        self.others.as_ref().is_none_or(Others::are_silent).then(|| ReadVersion(self.clock.load(Ordering::SeqCst)))
    }

    pub(crate) fn others(&self) -> Option<&Others> {
        self.others.as_ref()
    }

    /// Whether what was read since then about these subjects was still so when [`ChangeTracker::now`] was last asked. Once a
    /// change can be seen by anyone, and before whoever made it is answered, it is not.
    pub fn is_valid(&self, since: ReadVersion, subjects: impl IntoIterator<Item = InvalidationKey>) -> bool {
        let is_older = |changed: &AtomicU64| changed.load(Ordering::SeqCst) <= since.0;
        is_older(&self.anything) && subjects.into_iter().all(|subject| is_older(self.slot(subject)))
    }

    /// Before the commit of a group.
    pub(crate) fn begin(&self, group: &[WriteSet]) {
        self.mark(group, UNDER_WAY);
    }

    /// After it, however it went.
    pub(crate) fn end(&self, group: &[WriteSet]) {
        self.mark(group, self.clock.fetch_add(1, Ordering::SeqCst) + 1);
    }

    fn mark(&self, group: &[WriteSet], time: u64) {
        for touched in group {
            match touched {
                WriteSet::Everything => self.anything.store(time, Ordering::SeqCst),
                WriteSet::Keys(subjects) => {
                    subjects.iter().for_each(|subject| self.slot(*subject).store(time, Ordering::SeqCst));
                }
            }
        }
    }

    fn slot(&self, subject: InvalidationKey) -> &AtomicU64 {
        &self.subjects[subject.0 as usize]
    }
}

/// What a write changes, for whoever caches what was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteSet {
    /// Nothing that was read before can be trusted.
    Everything,
    /// Only values that depend on one of these keys.
    Keys(Vec<InvalidationKey>),
}

impl WriteSet {
    /// Nothing that anyone caches.
    pub const fn nothing() -> Self {
        Self::Keys(Vec::new())
    }

    pub fn of(keys: impl Into<Vec<InvalidationKey>>) -> Self {
        Self::Keys(keys.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subjects() -> [InvalidationKey; 2] {
        [InvalidationKey::new(1, b"a"), InvalidationKey::new(1, b"b")]
    }

    #[test]
    fn what_was_read_holds_until_its_subject_changes() {
        let (changes, [a, b]) = (ChangeTracker::new(None), subjects());
        let since = changes.now().unwrap();
        let group = [WriteSet::Keys(vec![a])];
        changes.begin(&group);
        changes.end(&group);
        assert!(!changes.is_valid(since, [a]) && !changes.is_valid(since, [b, a]));
        assert!(changes.is_valid(since, [b]) && changes.is_valid(changes.now().unwrap(), [a, b]));
    }

    #[test]
    fn a_change_of_anything_is_one_of_everything() {
        let (changes, [a, _]) = (ChangeTracker::new(None), subjects());
        let since = changes.now().unwrap();
        changes.end(&[WriteSet::Everything]);
        assert!(!changes.is_valid(since, [a]) && !changes.is_valid(since, []));
    }

    #[test]
    fn what_is_read_while_a_commit_is_under_way_is_never_trusted() {
        let (changes, [a, _]) = (ChangeTracker::new(None), subjects());
        let group = [WriteSet::Keys(vec![a])];
        changes.begin(&group);
        let since = changes.now().unwrap();
        assert!(!changes.is_valid(since, [a]), "it may be visible already");
        changes.end(&group);
        assert!(!changes.is_valid(since, [a]), "it was not visible, perhaps");
    }
}
