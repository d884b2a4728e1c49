//! Scheduling delay: the time between a task being woken and being polled. Under overload the backlog builds up in the
//! runtime's run queue, so this delay measures it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use futures_util::task::AtomicWaker;

const NOT_WOKEN: u64 = u64::MAX;

/// A waker that records when its task is woken, and wakes the real task.
pub(crate) struct DelayProbe {
    created: Instant,
    /// Nanoseconds from `created` to the first wake-up since the last poll.
    woken_at: AtomicU64,
    /// Nanoseconds between that wake-up and the current poll.
    delay: AtomicU64,
    task: AtomicWaker,
}

impl DelayProbe {
    /// The probe of a new task, which counts as woken.
    pub(crate) fn new() -> Arc<Self> {
        let (woken_at, delay) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Self { created: Instant::now(), woken_at, delay, task: AtomicWaker::new() })
    }

    /// The scheduling delay of the current poll.
    pub(crate) fn delay(&self) -> Duration {
        Duration::from_nanos(self.delay.load(Ordering::Relaxed))
    }

    fn now(&self) -> u64 {
        u64::try_from(self.created.elapsed().as_nanos()).unwrap_or(NOT_WOKEN - 1)
    }

    fn record_delay(&self) {
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

/// A task whose scheduling delay is measured.
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
        this.probe.record_delay();
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
    fn the_delay_runs_from_the_first_wake_up_to_the_next_poll() {
        let woken = Arc::new(Woken(AtomicBool::new(false)));
        let probe = DelayProbe::new();
        let mut inner: Option<Waker> = None;
        let work = std::future::poll_fn(|context| {
            inner = Some(context.waker().clone());
            Poll::<()>::Pending
        });
        let mut measured = Measured::new(Arc::clone(&probe), work);
        let waker = Waker::from(Arc::clone(&woken));
        let mut poll = || {
            assert!(Pin::new(&mut measured).poll(&mut Context::from_waker(&waker)).is_pending());
            probe.delay()
        };
        assert!(poll() > Duration::ZERO, "from creation to the first poll");
        assert_eq!(poll(), Duration::ZERO, "not woken since");
        Waker::from(Arc::clone(&probe)).wake();
        assert!(woken.0.load(Ordering::Relaxed));
        let woken_at = Instant::now();
        while woken_at.elapsed() < Duration::from_millis(2) {}
        // A second wake-up before the poll does not reset the delay.
        Waker::from(Arc::clone(&probe)).wake();
        assert!(poll() >= Duration::from_millis(2));
        assert_eq!(poll(), Duration::ZERO);
        drop(measured);
        assert!(inner.is_some());
    }
}
