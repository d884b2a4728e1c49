//! Admission control: sheds load by rejecting requests before their body is read and the database is queried. A short
//! queue keeps accepted requests fast.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wishbone_core::error::{Code, Error, Result};

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
            in_flight: Arc::new(Semaphore::new(max_in_flight)),
        })
    }

    /// Admits a request with this scheduling delay, or fails with `Overloaded`.
    pub(crate) fn admit(self: &Arc<Self>, delay: Duration, now: Instant) -> Result<Permit> {
        if self.is_overdue(delay, now) || self.in_flight.available_permits() == 0 {
            return Err(overloaded());
        }
        Ok(Permit(Arc::new(PermitState { control: Arc::clone(self), slot: OnceLock::new() })))
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
    slot: OnceLock<OwnedSemaphorePermit>,
}

impl Permit {
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
    use super::*;

    /// Sends a request every 10 ms for `time`, each delayed by `delay` ms. Returns the number of rejections.
    fn rejections(control: &Arc<AdmissionControl>, now: &mut Instant, time: Duration, delay: u64) -> usize {
        let end = *now + time;
        let mut rejected = 0;
        while *now < end {
            rejected += usize::from(control.admit(Duration::from_millis(delay), *now).is_err());
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
            assert!(control.admit(Duration::from_secs(1), now).is_ok());
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
        let permits: Vec<Permit> =
            (0..=BUSY_IN_FLIGHT * cpus() as usize).map(|_| control.admit(Duration::ZERO, now).ok().unwrap()).collect();
        permits.iter().for_each(|permit| permit.start().ok().unwrap());
        assert!(control.is_busy(now + 2 * INTERVAL), "they wait for the database");
        drop(permits);
        assert!(!control.is_busy(now + 2 * INTERVAL));
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
        let permit = || control.admit(Duration::ZERO, Instant::now());
        let (slow, quick) = (permit().ok().unwrap(), permit().ok().unwrap());
        quick.start().ok().unwrap();
        assert!(slow.start().is_err());
        assert!(permit().is_err(), "rejected before its body is read");
        drop(quick);
        slow.start().ok().unwrap();
    }
}
