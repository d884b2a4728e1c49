//! How fast the writer works, and so how long one more write would wait.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::writer::GROUP;

/// More waiting work than this is refused: a caller who is told to come back is better off than one who waits.
const LONGEST: Duration = Duration::from_secs(1);

/// Nanoseconds, averaged over the last groups. Apart, because a slow disk makes commits slow, however many share them.
#[derive(Default)]
pub(super) struct Pace {
    operation: AtomicU64,
    commit: AtomicU64,
}

impl Pace {
    /// A group of so many operations took so long to run, and then to commit.
    pub(super) fn learn(&self, operations: usize, run: Duration, commit: Duration) {
        let each = run / u32::try_from(operations.max(1)).unwrap_or(u32::MAX);
        for (average, new) in [(&self.operation, each), (&self.commit, commit)] {
            let new = u64::try_from(new.as_nanos()).unwrap_or(u64::MAX / 8);
            // The writer alone changes them.
            average.store(average.load(Ordering::Relaxed) / 8 * 7 + new / 8, Ordering::Relaxed);
        }
    }

    /// Whether what waits already is too much for one more. Where nothing does, there is always room.
    pub(super) fn is_too_slow_for(&self, waiting: usize) -> bool {
        let groups = waiting.div_ceil(GROUP) as u64;
        let operations = (waiting as u64).saturating_mul(self.operation.load(Ordering::Relaxed));
        let commits = groups.saturating_mul(self.commit.load(Ordering::Relaxed));
        Duration::from_nanos(operations.saturating_add(commits)) > LONGEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many may wait once the writer has worked like this for a while.
    fn room(operations: usize, run: Duration, commit: Duration) -> usize {
        let pace = Pace::default();
        (0..100).for_each(|_| pace.learn(operations, run, commit));
        (0..100_000).find(|waiting| pace.is_too_slow_for(*waiting)).unwrap_or(100_000)
    }

    #[test]
    fn about_a_second_of_work_may_wait() {
        let millis = Duration::from_millis;
        let quick = room(100, millis(5), millis(2));
        assert!((15_000..25_000).contains(&quick), "{quick}");
        let large = room(10, millis(200), millis(10));
        assert!((40..60).contains(&large), "{large}");
        // A commit of 100 ms is shared by a whole group.
        let slow_disk = room(1, Duration::from_micros(50), millis(100));
        assert!((8 * GROUP..10 * GROUP).contains(&slow_disk), "{slow_disk}");
        // However slow it is, whoever finds nobody waiting is let in.
        assert_eq!(room(1, millis(5_000), millis(5_000)), 1);
    }
}
