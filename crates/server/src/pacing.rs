//! Pacing of bulk work. It runs at full speed while no request waits, and takes a small part of the CPU otherwise.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::http::edge::admission::{AdmissionControl, cpus};

/// Units of bulk work (alerts) per second and CPU while the server is busy. One costs one to two milliseconds of CPU time.
const UNITS: u32 = 20;

pub struct Pacing {
    admission: Arc<AdmissionControl>,
    /// When the next units may begin while the server is busy.
    next: Mutex<Option<Instant>>,
}

impl Pacing {
    pub(crate) fn new(admission: Arc<AdmissionControl>) -> Self {
        Self { admission, next: Mutex::new(None) }
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.admission.is_busy(Instant::now())
    }

    /// Waits until so many more units of bulk work may begin.
    pub(crate) async fn wait(&self, units: usize) {
        let pause = self.pause(units, Instant::now());
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }

    fn pause(&self, units: usize, now: Instant) -> Duration {
        if !self.admission.is_busy(now) {
            return Duration::ZERO;
        }
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let at = next.unwrap_or(now).max(now);
        *next = Some(at + Duration::from_secs(units as u64) / (UNITS * cpus()));
        at - now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bulk_work_is_paced_only_while_the_server_is_busy() {
        let admission = AdmissionControl::new(1_000);
        let pacing = Pacing::new(Arc::clone(&admission));
        let mut now = Instant::now();
        assert!((0..1_000).all(|_| pacing.pause(4, now).is_zero()));
        for _ in 0..1_000 {
            let _ = admission.admit(None, Duration::from_millis(1), now);
            now += Duration::from_millis(1);
        }
        let pauses: Vec<Duration> = (0..=UNITS * cpus() / 4).map(|_| pacing.pause(4, now)).collect();
        assert_eq!(pauses[0], Duration::ZERO);
        let last = pauses.last().copied().unwrap_or_default();
        assert!(last > Duration::from_millis(900) && last <= Duration::from_secs(1), "{last:?}");
        assert!(pacing.pause(4, now + Duration::from_secs(2)).is_zero());
    }
}
