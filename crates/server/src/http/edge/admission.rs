//! Who is let in when more comes than can be done. Whoever is not is told so before the body is looked at and before
//! the database is asked: a short queue keeps everyone quick, a long one nobody.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wishbone_core::error::{Code, Error};

use wishbone_core::error::Result;

/// When requests have waited longer than this for a thread, on average over an interval, that is no hiccup: the queue
/// would stay. From then on, until it is shorter, whoever has waited twice as long is turned away. The idea is
/// CoDel's; it takes the shortest wait instead of the average, but the runtime's queue is not served in order.
const STANDING: Duration = Duration::from_millis(50);
const INTERVAL: Duration = Duration::from_millis(250);
/// RejectionPacer cost something too, about 25 µs each. Clients that come again at once would have the server do little else:
/// when there are more than one in this time (for each processor), they are told later.
const REJECTION: Duration = Duration::from_micros(250);
/// But they are held back no longer than this.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// Bodies up to this many bytes are not worth counting.
const SMALL: usize = 64 << 10;
/// For all larger bodies of requests under way together.
const BODIES: usize = 128 << 20;
const KIB: usize = 1 << 10;

pub struct AdmissionControl {
    queue: Mutex<Queue>,
    is_standing: AtomicBool,
    rejections: RejectionPacer,
    /// Requests that may be under way between the end of their body and the start of their answer.
    in_flight: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
}

struct Queue {
    interval_ends: Option<Instant>,
    requests: u32,
    waited: Duration,
}

impl AdmissionControl {
    pub fn new(max_in_flight: usize) -> Arc<Self> {
        Arc::new(Self {
            queue: Mutex::new(Queue { interval_ends: None, requests: 0, waited: Duration::ZERO }),
            is_standing: AtomicBool::new(false),
            rejections: RejectionPacer { each: REJECTION / processors(), next: Mutex::new(None) },
            in_flight: Arc::new(Semaphore::new(max_in_flight.min(Semaphore::MAX_PERMITS))),
            bodies: Arc::new(Semaphore::new(BODIES / KIB)),
        })
    }

    /// A admit for a request that has waited so long for a thread.
    pub(crate) fn admit(self: &Arc<Self>, waited: Duration, now: Instant) -> Result<Permit> {
        if self.is_overdue(waited, now) || self.in_flight.available_permits() == 0 {
            return Err(overloaded());
        }
        Ok(Permit(Arc::new(PermitState {
            control: Arc::clone(self),
            slot: OnceLock::new(),
            body_budget: Mutex::new(None),
        })))
    }

    /// Waits until one more may be told that it is not let in.
    pub(crate) async fn pace_rejection(&self, now: Instant) {
        let pause = self.rejections.pause(now);
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }

    fn is_overdue(&self, waited: Duration, now: Instant) -> bool {
        // Whoever finds it taken has no need to measure: another request just does.
        if let Ok(mut queue) = self.queue.try_lock() {
            if queue.interval_ends.is_none_or(|end| now >= end) {
                self.is_standing.store(queue.waited > STANDING * queue.requests, Ordering::Relaxed);
                *queue = Queue { interval_ends: Some(now + INTERVAL), requests: 0, waited: Duration::ZERO };
            }
            queue.requests += 1;
            queue.waited += waited;
        }
        waited > 2 * STANDING && self.is_standing.load(Ordering::Relaxed)
    }
}

struct RejectionPacer {
    each: Duration,
    /// When one more may be told.
    next: Mutex<Option<Instant>>,
}

impl RejectionPacer {
    /// How long one more has to wait.
    fn pause(&self, now: Instant) -> Duration {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let at = next.unwrap_or(now).clamp(now, now + LONGEST_PAUSE);
        *next = Some(at + self.each);
        at - now
    }
}

fn processors() -> u32 {
    std::thread::available_parallelism().map_or(4, usize::from) as u32
}

/// What a request holds from its head to its answer.
#[derive(Clone)]
pub(crate) struct Permit(Arc<PermitState>);

struct PermitState {
    control: Arc<AdmissionControl>,
    slot: OnceLock<OwnedSemaphorePermit>,
    body_budget: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Permit {
    /// Makes body_budget for a body that has grown to so many bytes.
    pub(crate) fn hold_body(&self, bytes: usize) -> Result<()> {
        let mut body_budget = self.0.body_budget.lock().unwrap_or_else(PoisonError::into_inner);
        let held = body_budget.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let wanted = if bytes <= SMALL { 0 } else { bytes.div_ceil(KIB) };
        let more = u32::try_from(wanted.saturating_sub(held)).unwrap_or(u32::MAX);
        if more > 0 {
            let more = Arc::clone(&self.0.control.bodies).try_acquire_many_owned(more).map_err(|_| overloaded())?;
            match body_budget.as_mut() {
                Some(body_budget) => body_budget.merge(more),
                None => *body_budget = Some(more),
            }
        }
        Ok(())
    }

    /// Lets the request in, once its body is there: clients that send slowly must not fill the house.
    pub(crate) fn start(&self) -> Result<()> {
        let slot = Arc::clone(&self.0.control.in_flight).try_acquire_owned().map_err(|_| overloaded())?;
        let _ = self.0.slot.set(slot);
        Ok(())
    }
}

fn overloaded() -> Error {
    Error::new(Code::Overloaded, "server overloaded: retry after the time in Retry-After")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests every 10 ms for so long, all of which have waited `waited`; answers how many were turned away.
    fn turned_away(control: &Arc<AdmissionControl>, from: &mut Instant, time: Duration, waited: u64) -> usize {
        let end = *from + time;
        let mut refused = 0;
        while *from < end {
            refused += usize::from(control.admit(Duration::from_millis(waited), *from).is_err());
            *from += Duration::from_millis(10);
        }
        refused
    }

    #[test]
    fn a_queue_that_stands_is_cut_and_one_that_passes_is_not() {
        let control = AdmissionControl::new(1);
        let mut now = Instant::now();
        // A hiccup of the machine passes within an interval.
        assert_eq!(turned_away(&control, &mut now, INTERVAL / 5, 150), 0);
        assert_eq!(turned_away(&control, &mut now, INTERVAL, 1), 0);
        // Long waits that never end are.
        turned_away(&control, &mut now, 2 * INTERVAL, 300);
        assert_eq!(turned_away(&control, &mut now, INTERVAL, 300), 25);
        // Those that came soon enough are served also then.
        assert_eq!(turned_away(&control, &mut now, INTERVAL, 90), 0);
        // And when it is over, it is over.
        turned_away(&control, &mut now, 2 * INTERVAL, 1);
        assert_eq!(turned_away(&control, &mut now, INTERVAL / 5, 150), 0);
    }

    #[test]
    fn a_flood_of_refusals_is_slowed_down_and_a_few_are_not() {
        let rejections = RejectionPacer { each: Duration::from_millis(2), next: Mutex::new(None) };
        let mut now = Instant::now();
        for _ in 0..100 {
            assert_eq!(rejections.pause(now), Duration::ZERO);
            now += Duration::from_millis(2);
        }
        let flood = [(); 1_000].map(|()| rejections.pause(now));
        assert_eq!(flood[..3], [0, 2, 4].map(Duration::from_millis));
        assert_eq!(flood[999], LONGEST_PAUSE);
        assert_eq!(rejections.pause(now + 2 * LONGEST_PAUSE), Duration::ZERO);
    }

    #[test]
    fn places_are_taken_by_whoever_has_sent_the_body_and_given_back() {
        let control = AdmissionControl::new(1);
        let permit = || control.admit(Duration::ZERO, Instant::now());
        let (slow, quick) = (permit().ok().unwrap(), permit().ok().unwrap());
        quick.start().ok().unwrap();
        assert!(slow.start().is_err());
        assert!(permit().is_err(), "nobody is asked for a body in vain");
        drop(quick);
        slow.start().ok().unwrap();
    }

    #[test]
    fn large_bodies_have_a_budget_and_small_ones_need_none() {
        let control = AdmissionControl::new(9);
        let permit = || control.admit(Duration::ZERO, Instant::now()).ok().unwrap();
        let (large, other) = (permit(), permit());
        for bytes in (0..=BODIES).step_by(1 << 20) {
            large.hold_body(bytes).ok().unwrap();
        }
        other.hold_body(SMALL).ok().unwrap();
        assert!(other.hold_body(SMALL + 1).is_err());
        drop(large);
        other.hold_body(SMALL + 1).ok().unwrap();
    }
}
