//! Pacing of bulk work. It runs at full speed while the server has little to do, and takes a small part of the CPU while
//! the server answers requests.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::http::edge::admission::{AdmissionControl, cpus};

/// Requests per second and CPU from which the server is busy.
const BUSY: u32 = 50;
/// Units of bulk work (alerts) per second and CPU while the server is busy. One costs one to two milliseconds of CPU time.
const UNITS: u32 = 20;

pub struct Pacing {
    admission: Arc<AdmissionControl>,
    /// When the next unit may begin while the server is busy.
    next: Mutex<Option<Instant>>,
}

impl Pacing {
    pub(crate) fn new(admission: Arc<AdmissionControl>) -> Self {
        Self { admission, next: Mutex::new(None) }
    }

    /// Waits until one more unit of bulk work may begin.
    pub(crate) async fn wait(&self) {
        let pause = self.pause(Instant::now());
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }

    fn pause(&self, now: Instant) -> Duration {
        if self.admission.requests_per_second(now) < BUSY * cpus() {
            return Duration::ZERO;
        }
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let at = next.unwrap_or(now).max(now);
        *next = Some(at + Duration::from_secs(1) / (UNITS * cpus()));
        at - now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bulk_work_is_paced_only_while_the_server_is_busy() {
        let admission = AdmissionControl::new(1);
        let pacing = Pacing::new(Arc::clone(&admission));
        let mut now = Instant::now();
        assert!((0..1_000).all(|_| pacing.pause(now).is_zero()));
        for _ in 0..1_000 * cpus() {
            let _ = admission.admit(Duration::ZERO, now);
            now += Duration::from_millis(1);
        }
        let pauses: Vec<Duration> = (0..=UNITS * cpus()).map(|_| pacing.pause(now)).collect();
        assert_eq!(pauses[0], Duration::ZERO);
        let last = pauses.last().copied().unwrap_or_default();
        assert!(last > Duration::from_millis(900) && last <= Duration::from_secs(1), "{last:?}");
        assert!(pacing.pause(now + Duration::from_secs(2)).is_zero());
    }
}
