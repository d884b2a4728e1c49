//! How long work that is ready waits for a thread. Under more load than the machine can do this is where the
//! backlog is: the runtime takes what sockets have to say into its queue, and the queue grows.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use futures_util::task::AtomicWaker;

const NOT_WOKEN: u64 = u64::MAX;

/// Hears when a task is woken, and passes it on.
pub(crate) struct DelayProbe {
    made: Instant,
    /// Nanoseconds after that, when it first woken_at since the last turn.
    woken_at: AtomicU64,
    /// Nanoseconds between the ring and the turn that is now.
    delay: AtomicU64,
    task: AtomicWaker,
}

impl DelayProbe {
    /// A new task waits from the start.
    pub(crate) fn new() -> Arc<Self> {
        let (woken_at, delay) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Self { made: Instant::now(), woken_at, delay, task: AtomicWaker::new() })
    }

    /// How long the present turn was delay for.
    pub(crate) fn delay(&self) -> Duration {
        Duration::from_nanos(self.delay.load(Ordering::Relaxed))
    }

    fn now(&self) -> u64 {
        u64::try_from(self.made.elapsed().as_nanos()).unwrap_or(NOT_WOKEN - 1)
    }

    fn answer(&self) {
        let delay = match self.woken_at.swap(NOT_WOKEN, Ordering::Relaxed) {
            NOT_WOKEN => 0,
            woken_at => self.now().saturating_sub(woken_at),
        };
        self.delay.store(delay, Ordering::Relaxed);
    }
}

impl Wake for DelayProbe {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let _ = self.woken_at.compare_exchange(NOT_WOKEN, self.now(), Ordering::Relaxed, Ordering::Relaxed);
        self.task.wake();
    }
}

/// A task with a probe.
pub(crate) struct Measured<F> {
    work: Pin<Box<F>>,
    probe: Arc<DelayProbe>,
    waker: Waker,
}

impl<F: Future> Measured<F> {
    pub(crate) fn new(probe: Arc<DelayProbe>, work: F) -> Self {
        Self { work: Box::pin(work), waker: Waker::from(Arc::clone(&probe)), probe }
    }
}

impl<F: Future> Future for Measured<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        this.probe.answer();
        this.probe.task.register(context.waker());
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
        let probe = DelayProbe::new();
        let mut inner: Option<Waker> = None;
        let work = std::future::poll_fn(|context| {
            inner = Some(context.waker().clone());
            Poll::<()>::Pending
        });
        let mut measured = Measured::new(Arc::clone(&probe), work);
        let waker = Waker::from(Arc::clone(&woken));
        let mut turn = || {
            assert!(Pin::new(&mut measured).poll(&mut Context::from_waker(&waker)).is_pending());
            probe.delay()
        };
        assert!(turn() > Duration::ZERO, "from its making to its first turn");
        assert_eq!(turn(), Duration::ZERO, "nobody woken_at");
        Waker::from(Arc::clone(&probe)).wake();
        assert!(woken.0.load(Ordering::Relaxed));
        let woken_at = Instant::now();
        while woken_at.elapsed() < Duration::from_millis(2) {}
        // A second ring before the turn changes nothing.
        Waker::from(Arc::clone(&probe)).wake();
        assert!(turn() >= Duration::from_millis(2));
        assert_eq!(turn(), Duration::ZERO);
        drop(measured);
        assert!(inner.is_some());
    }
}
