//! How long work that is ready waits for a thread. Under more load than the machine can do this is where the
//! backlog is: the runtime takes what sockets have to say into its queue, and the queue grows.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use futures_util::task::AtomicWaker;

const SILENT: u64 = u64::MAX;

/// Hears when a task is woken, and passes it on.
pub(super) struct Bell {
    made: Instant,
    /// Nanoseconds after that, when it first rang since the last turn.
    rang: AtomicU64,
    /// Nanoseconds between the ring and the turn that is now.
    waited: AtomicU64,
    task: AtomicWaker,
}

impl Bell {
    /// A new task waits from the start.
    pub(super) fn new() -> Arc<Self> {
        let (rang, waited) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Self { made: Instant::now(), rang, waited, task: AtomicWaker::new() })
    }

    /// How long the present turn was waited for.
    pub(super) fn waited(&self) -> Duration {
        Duration::from_nanos(self.waited.load(Ordering::Relaxed))
    }

    fn now(&self) -> u64 {
        u64::try_from(self.made.elapsed().as_nanos()).unwrap_or(SILENT - 1)
    }

    fn answer(&self) {
        let waited = match self.rang.swap(SILENT, Ordering::Relaxed) {
            SILENT => 0,
            rang => self.now().saturating_sub(rang),
        };
        self.waited.store(waited, Ordering::Relaxed);
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let _ = self.rang.compare_exchange(SILENT, self.now(), Ordering::Relaxed, Ordering::Relaxed);
        self.task.wake();
    }
}

/// A task with a bell.
pub(super) struct Turns<F> {
    work: Pin<Box<F>>,
    bell: Arc<Bell>,
    waker: Waker,
}

impl<F: Future> Turns<F> {
    pub(super) fn new(bell: Arc<Bell>, work: F) -> Self {
        Self { work: Box::pin(work), waker: Waker::from(Arc::clone(&bell)), bell }
    }
}

impl<F: Future> Future for Turns<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        this.bell.answer();
        this.bell.task.register(context.waker());
        this.work.as_mut().poll(&mut Context::from_waker(&this.waker))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_turn_knows_how_long_it_was_waited_for_and_the_task_is_woken_all_the_same() {
        let woken = Arc::new(Woken(AtomicBool::new(false)));
        let bell = Bell::new();
        let mut inner: Option<Waker> = None;
        let work = std::future::poll_fn(|context| {
            inner = Some(context.waker().clone());
            Poll::<()>::Pending
        });
        let mut turns = Turns::new(Arc::clone(&bell), work);
        let waker = Waker::from(Arc::clone(&woken));
        let mut turn = || {
            assert!(Pin::new(&mut turns).poll(&mut Context::from_waker(&waker)).is_pending());
            bell.waited()
        };
        assert!(turn() > Duration::ZERO, "from its making to its first turn");
        assert_eq!(turn(), Duration::ZERO, "nobody rang");
        Waker::from(Arc::clone(&bell)).wake();
        assert!(woken.0.load(Ordering::Relaxed));
        let rang = Instant::now();
        while rang.elapsed() < Duration::from_millis(2) {}
        // A second ring before the turn changes nothing.
        Waker::from(Arc::clone(&bell)).wake();
        assert!(turn() >= Duration::from_millis(2));
        assert_eq!(turn(), Duration::ZERO);
        drop(turns);
        assert!(inner.is_some());
    }
}
