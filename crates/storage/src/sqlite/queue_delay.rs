//! Estimates the time a write would spend in the queue.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Writes are rejected beyond this estimate: a client is better served by a fast 503 than by a long wait.
const MAX_DELAY: Duration = Duration::from_secs(1);

/// Moving averages in nanoseconds. Kept separately because a slow disk slows down the commit, whatever the group size.
pub(super) struct QueueDelay {
    max_group: usize,
    operation: AtomicU64,
    commit: AtomicU64,
}

impl QueueDelay {
    /// `max_group`: the number of operations that share a commit at most.
    pub(super) fn new(max_group: usize) -> Self {
        Self { max_group, operation: AtomicU64::new(0), commit: AtomicU64::new(0) }
    }

    /// Records the duration of one group. Called by the writer thread only.
    pub(super) fn record(&self, operations: usize, run: Duration, commit: Duration) {
        let per_operation = run / u32::try_from(operations.max(1)).unwrap_or(u32::MAX);
        for (average, sample) in [(&self.operation, per_operation), (&self.commit, commit)] {
            let sample = u64::try_from(sample.as_nanos()).unwrap_or(u64::MAX / 8);
            average.store(average.load(Ordering::Relaxed) / 8 * 7 + sample / 8, Ordering::Relaxed);
        }
    }

    /// True if a write behind `queued` others would wait too long. An empty queue always accepts one.
    pub(super) fn exceeds_limit(&self, queued: usize) -> bool {
        let groups = queued.div_ceil(self.max_group) as u64;
        let operations = (queued as u64).saturating_mul(self.operation.load(Ordering::Relaxed));
        let commits = groups.saturating_mul(self.commit.load(Ordering::Relaxed));
        Duration::from_nanos(operations.saturating_add(commits)) > MAX_DELAY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: usize = 256;

    /// The queue length that is accepted after many groups of these durations.
    fn capacity(operations: usize, run: Duration, commit: Duration) -> usize {
        let delay = QueueDelay::new(GROUP);
        (0..100).for_each(|_| delay.record(operations, run, commit));
        (0..100_000).find(|queued| delay.exceeds_limit(*queued)).unwrap_or(100_000)
    }

    #[test]
    fn the_queue_holds_about_one_second_of_work() {
        let millis = Duration::from_millis;
        let fast = capacity(100, millis(5), millis(2));
        assert!((15_000..25_000).contains(&fast), "{fast}");
        let expensive = capacity(10, millis(200), millis(10));
        assert!((40..60).contains(&expensive), "{expensive}");
        // A commit of 100 ms is shared by a whole group.
        let slow_disk = capacity(1, Duration::from_micros(50), millis(100));
        assert!((8 * GROUP..10 * GROUP).contains(&slow_disk), "{slow_disk}");
        // An empty queue accepts a write however slow the writer is.
        assert_eq!(capacity(1, millis(5_000), millis(5_000)), 1);
    }
}
