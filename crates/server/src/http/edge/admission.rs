//! Admission control: sheds load by rejecting requests before their body is read and the database is queried. A short
//! queue keeps accepted requests fast.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::ready;
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wishbone_core::error::{Code, Error, Result};

use crate::http::edge::fair_share::{FairShare, Turn};
use crate::limit_key::ClientAddress;

/// Mean scheduling delay, over an interval, above which there is a standing queue. While there is one, requests delayed
/// by more than twice this are rejected. A variant of CoDel, which uses the minimum; the runtime's queue is not served
/// in order, so the mean is used instead.
const TARGET_DELAY: Duration = Duration::from_millis(50);
const INTERVAL: Duration = Duration::from_millis(250);
/// Fewer requests in an interval are no queue, however late they are: other programs keep the CPU busy.
const MIN_REQUESTS: u32 = 10;
/// Mean scheduling delay above which the server is busy. Far below the delay at which it rejects requests.
const BUSY_DELAY: Duration = Duration::from_micros(500);
/// Concurrent requests per CPU above which the server is busy: most of them wait for the database.
const BUSY_IN_FLIGHT: usize = 4;
/// Minimum time between rejections, per CPU. A rejection costs about 25 µs, and clients that retry at once would make
/// the server do little else, so responses beyond this rate are delayed.
const REJECTION_INTERVAL: Duration = Duration::from_micros(250);
/// Longest delay of a rejection.
const MAX_PAUSE: Duration = Duration::from_millis(500);

pub struct AdmissionControl {
    interval: Mutex<Interval>,
    has_standing_queue: AtomicBool,
    rejections: RejectionPacer,
    shares: FairShare,
    max_in_flight: usize,
    /// Slots for concurrent requests, held from the end of the request body to the response.
    in_flight: Arc<Semaphore>,
}

/// Scheduling delays measured in the current interval.
struct Interval {
    end: Option<Instant>,
    requests: u32,
    total_delay: Duration,
    /// True if requests waited for the CPU in the interval before.
    was_busy: bool,
}

impl Interval {
    fn is_busy(&self) -> bool {
        self.requests >= MIN_REQUESTS && self.total_delay > BUSY_DELAY * self.requests
    }
}

impl AdmissionControl {
    pub fn new(max_in_flight: usize) -> Arc<Self> {
        let max_in_flight = max_in_flight.min(Semaphore::MAX_PERMITS);
        Arc::new(Self {
            max_in_flight,
            interval: Mutex::new(Interval { end: None, requests: 0, total_delay: Duration::ZERO, was_busy: false }),
            has_standing_queue: AtomicBool::new(false),
            rejections: RejectionPacer { interval: REJECTION_INTERVAL / cpus(), next: Mutex::new(None) },
            shares: FairShare::new(cpus()),
            in_flight: Arc::new(Semaphore::new(max_in_flight)),
        })
    }

    /// Admits a request with this scheduling delay, or fails with `Overloaded`. `client`: whose share it takes.
    pub(crate) fn admit(
        self: &Arc<Self>,
        client: Option<ClientAddress>,
        delay: Duration,
        now: Instant,
    ) -> Result<Permit> {
        if self.is_overdue(delay, now) || self.in_flight.available_permits() == 0 {
            return Err(overloaded());
        }
        let turn = client.map(|client| self.shares.begin(client, delay, now).ok_or_else(overloaded)).transpose()?;
        let (control, used) = (Arc::clone(self), AtomicU64::new(0));
        Ok(Permit(Arc::new(PermitState { control, turn, used, slot: OnceLock::new() })))
    }

    /// Does the work of a connection besides its requests, with pauses if the client uses more than its share of the processor.
    pub(crate) async fn pace<F: Future>(&self, client: Option<ClientAddress>, mut work: Pin<&mut F>) -> F::Output {
        let Some(client) = client else { return work.await };
        let wait = self.shares.spend(client, Duration::ZERO, Instant::now());
        let (mut is_paused, mut pause) = (!wait.is_zero(), pin!(tokio::time::sleep(wait)));
        poll_fn(|task| {
            if is_paused {
                ready!(pause.as_mut().poll(task));
                is_paused = false;
            }
            let began = Instant::now();
            let polled = work.as_mut().poll(task);
            let now = Instant::now();
            let wait = self.shares.spend(client, now - began, now);
            if polled.is_pending() && !wait.is_zero() {
                pause.as_mut().reset((now + wait).into());
                // Else nothing would wake the task when the pause is over.
                is_paused = pause.as_mut().poll(task).is_pending();
            }
            polled
        })
        .await
    }

    /// True if there is a standing queue, so that what can wait is refused.
    pub(crate) fn is_overloaded(&self) -> bool {
        self.has_standing_queue.load(Ordering::Relaxed)
    }

    /// True if requests wait for the CPU or for the database, so that other work should be put off.
    pub(crate) fn is_busy(&self, now: Instant) -> bool {
        if self.max_in_flight - self.in_flight.available_permits() > BUSY_IN_FLIGHT * cpus() as usize {
            return true;
        }
        let interval = self.interval.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = interval.end.is_some_and(|end| now < end + INTERVAL);
        is_recent && (interval.was_busy || interval.is_busy())
    }

    /// Waits until one more rejection may be sent.
    pub(crate) async fn pace_rejection(&self, now: Instant) {
        let pause = self.rejections.pause(now);
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }

    fn is_overdue(&self, delay: Duration, now: Instant) -> bool {
        // A sample suffices: if another request holds the lock, this one is not measured.
        if let Ok(mut interval) = self.interval.try_lock() {
            if interval.end.is_none_or(|end| now >= end) {
                let has_standing_queue =
                    interval.requests >= MIN_REQUESTS && interval.total_delay > TARGET_DELAY * interval.requests;
                self.has_standing_queue.store(has_standing_queue, Ordering::Relaxed);
                *interval = Interval {
                    end: Some(now + INTERVAL),
                    requests: 0,
                    total_delay: Duration::ZERO,
                    was_busy: interval.is_busy(),
                };
            }
            interval.requests += 1;
            interval.total_delay += delay;
        }
        delay > 2 * TARGET_DELAY && self.has_standing_queue.load(Ordering::Relaxed)
    }
}

/// Limits the rate of rejections by delaying them.
struct RejectionPacer {
    interval: Duration,
    /// When the next rejection may be sent.
    next: Mutex<Option<Instant>>,
}

impl RejectionPacer {
    /// Schedules one more rejection and returns its delay.
    fn pause(&self, now: Instant) -> Duration {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let at = next.unwrap_or(now).clamp(now, now + MAX_PAUSE);
        *next = Some(at + self.interval);
        at - now
    }
}

pub(crate) fn cpus() -> u32 {
    std::thread::available_parallelism().map_or(4, usize::from) as u32
}

/// The permit of an admitted request, held until its response.
#[derive(Clone)]
pub(crate) struct Permit(Arc<PermitState>);

struct PermitState {
    control: Arc<AdmissionControl>,
    turn: Option<Turn>,
    /// The processor time that the request has used, in nanoseconds.
    used: AtomicU64,
    slot: OnceLock<OwnedSemaphorePermit>,
}

impl Drop for PermitState {
    fn drop(&mut self) {
        if let Some(turn) = &self.turn {
            self.control.shares.end(turn, Duration::from_nanos(*self.used.get_mut()), Instant::now());
        }
    }
}

impl Permit {
    /// Waits until the client's share of the processor allows the work on the request.
    pub(crate) async fn wait(&self) {
        if let Some(turn) = self.0.turn.as_ref().filter(|turn| !turn.wait.is_zero()) {
            tokio::time::sleep(turn.wait).await;
        }
    }

    /// Does the work on the request, whose processor time counts.
    pub(crate) async fn measure<T>(permit: Option<Self>, work: impl Future<Output = T>) -> T {
        let Some(Self(state)) = permit else { return work.await };
        let mut work = pin!(work);
        poll_fn(|task| {
            let began = Instant::now();
            let polled = work.as_mut().poll(task);
            let used = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
            state.used.fetch_add(used, Ordering::Relaxed);
            polled
        })
        .await
    }

    /// Takes a slot. Called when the body has arrived, so that clients that send slowly occupy no slots.
    pub(crate) fn start(&self) -> Result<()> {
        let slot = Arc::clone(&self.0.control.in_flight).try_acquire_owned().map_err(|_| overloaded())?;
        let _ = self.0.slot.set(slot);
        Ok(())
    }
}

pub(crate) fn overloaded() -> Error {
    Error::new(Code::Overloaded, "server overloaded: retry after the time in Retry-After")
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use futures_util::FutureExt;

    use super::*;

    /// Sends a request every 10 ms for `time`, each delayed by `delay` ms. Returns the number of rejections.
    fn rejections(control: &Arc<AdmissionControl>, now: &mut Instant, time: Duration, delay: u64) -> usize {
        let end = *now + time;
        let mut rejected = 0;
        while *now < end {
            rejected += usize::from(control.admit(None, Duration::from_millis(delay), *now).is_err());
            *now += Duration::from_millis(10);
        }
        rejected
    }

    #[test]
    fn requests_are_rejected_during_a_standing_queue_but_not_during_a_short_spike() {
        let control = AdmissionControl::new(1);
        let mut now = Instant::now();
        // A spike that ends within the interval.
        assert_eq!(rejections(&control, &mut now, INTERVAL / 5, 150), 0);
        assert_eq!(rejections(&control, &mut now, INTERVAL, 1), 0);
        // A standing queue.
        rejections(&control, &mut now, 2 * INTERVAL, 300);
        assert_eq!(rejections(&control, &mut now, INTERVAL, 300), 25);
        // Requests with a short delay are still served.
        assert_eq!(rejections(&control, &mut now, INTERVAL, 90), 0);
        // The queue is gone.
        rejections(&control, &mut now, 2 * INTERVAL, 1);
        assert_eq!(rejections(&control, &mut now, INTERVAL / 5, 150), 0);
    }

    #[test]
    fn a_few_late_requests_are_no_queue() {
        let control = AdmissionControl::new(1);
        let mut now = Instant::now();
        for _ in 0..20 {
            assert!(control.admit(None, Duration::from_secs(1), now).is_ok());
            now += INTERVAL / 8;
        }
    }

    #[test]
    fn the_server_is_busy_while_requests_wait() {
        let control = AdmissionControl::new(1_000);
        let mut now = Instant::now();
        rejections(&control, &mut now, 2 * INTERVAL, 0);
        assert!(!control.is_busy(now), "many requests that do not wait");
        rejections(&control, &mut now, 2 * INTERVAL, 1);
        assert!(control.is_busy(now));
        assert!(!control.is_busy(now + 2 * INTERVAL), "none since then");
        let permits: Vec<Permit> = (0..=BUSY_IN_FLIGHT * cpus() as usize)
            .map(|_| control.admit(None, Duration::ZERO, now).ok().unwrap())
            .collect();
        permits.iter().for_each(|permit| permit.start().ok().unwrap());
        assert!(control.is_busy(now + 2 * INTERVAL), "they wait for the database");
        drop(permits);
        assert!(!control.is_busy(now + 2 * INTERVAL));
    }

    /// Uses the processor for a while, and does not complete.
    async fn busy(time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end {}
        std::future::pending().await
    }

    fn client(network: u8) -> Option<ClientAddress> {
        Some(std::net::Ipv4Addr::new(10, 0, network, 1).into())
    }

    #[tokio::test]
    async fn the_work_on_a_request_is_counted_for_its_network() {
        let control = AdmissionControl::new(10);
        control.shares.limit(0.001);
        let admit = || control.admit(client(1), Duration::ZERO, Instant::now());
        let permit = admit().ok().unwrap();
        let work = busy(Duration::from_millis(20));
        assert!(Permit::measure(Some(permit.clone()), work).now_or_never().is_none());
        assert!(admit().is_ok(), "it is not done");
        drop(permit);
        assert!(admit().is_err(), "it would wait for too long");
    }

    #[tokio::test]
    async fn a_connection_pauses_for_what_it_has_used_and_goes_on() {
        let control = AdmissionControl::new(10);
        control.shares.limit(0.1);
        let mut steps = 0;
        let mut work = Box::pin(poll_fn(|task| {
            steps += 1;
            let end = Instant::now() + Duration::from_millis(10);
            while Instant::now() < end {}
            task.waker().wake_by_ref();
            if steps == 3 { Poll::Ready(()) } else { Poll::Pending }
        }));
        let began = Instant::now();
        control.pace(client(1), work.as_mut()).await;
        assert!(began.elapsed() > Duration::from_millis(150), "10 milliseconds at a tenth of a processor");
        drop(work);
        assert_eq!(steps, 3);
        assert_eq!(control.pace(None, pin!(async { 1 })).now_or_never(), Some(1), "a proxy's do not pause");
    }

    #[test]
    fn rejections_are_delayed_only_above_their_rate() {
        let pacer = RejectionPacer { interval: Duration::from_millis(2), next: Mutex::new(None) };
        let mut now = Instant::now();
        for _ in 0..100 {
            assert_eq!(pacer.pause(now), Duration::ZERO);
            now += Duration::from_millis(2);
        }
        let flood = [(); 1_000].map(|()| pacer.pause(now));
        assert_eq!(flood[..3], [0, 2, 4].map(Duration::from_millis));
        assert_eq!(flood[999], MAX_PAUSE);
        assert_eq!(pacer.pause(now + 2 * MAX_PAUSE), Duration::ZERO);
    }

    #[test]
    fn slots_are_taken_when_the_body_has_arrived_and_released_on_drop() {
        let control = AdmissionControl::new(1);
        let permit = || control.admit(None, Duration::ZERO, Instant::now());
        let (slow, quick) = (permit().ok().unwrap(), permit().ok().unwrap());
        quick.start().ok().unwrap();
        assert!(slow.start().is_err());
        assert!(permit().is_err(), "rejected before its body is read");
        drop(quick);
        slow.start().ok().unwrap();
    }
}
