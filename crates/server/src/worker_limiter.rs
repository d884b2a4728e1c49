//! Limits the requests at the same time for the stores of one worker of a sharded database. A worker that does not respond
//! holds the connections of its requests until their statements time out; the stores of other workers keep the rest.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use wishbone_storage::{Error, Result};

/// The time a request waits for others of its worker, as long as for a connection.
const WAIT_TIMEOUT: Duration = Duration::from_millis(400);
/// The time after which the worker of a store is looked up again. A store that was moved meanwhile counts for the wrong one.
const LOOK_UP_INTERVAL: Duration = Duration::from_secs(60);

pub(crate) struct WorkerLimiter {
    requests_per_worker: usize,
    workers: Mutex<Workers>,
}

#[derive(Default)]
struct Workers {
    permits: HashMap<i64, Arc<Semaphore>>,
    /// The permits of the worker of each store, and when it was looked up.
    of_stores: HashMap<i64, (Instant, Arc<Semaphore>)>,
}

impl WorkerLimiter {
    /// For a number of connections, of which the requests for one worker hold at most half.
    pub(crate) fn new(connections: usize) -> Self {
        Self { requests_per_worker: (connections / 2).max(1), workers: Mutex::default() }
    }

    /// Waits until the worker of an existing store has room for one more request. `look_up` returns the worker's id.
    pub(crate) async fn enter(
        &self,
        store_id: i64,
        look_up: impl Future<Output = Result<i64>>,
    ) -> Result<OwnedSemaphorePermit> {
        let permits = match self.known(store_id) {
            Some(permits) => permits,
            None => self.remember(store_id, look_up.await?),
        };
        timeout(WAIT_TIMEOUT, permits.acquire_owned()).await.map_err(|_| Error::Busy)?.map_err(Error::bug)
    }

    fn known(&self, store_id: i64) -> Option<Arc<Semaphore>> {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, permits) = workers.of_stores.get(&store_id)?;
        (since.elapsed() < LOOK_UP_INTERVAL).then(|| Arc::clone(permits))
    }

    fn remember(&self, store_id: i64, worker: i64) -> Arc<Semaphore> {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Semaphore::new(self.requests_per_worker));
        let permits = Arc::clone(workers.permits.entry(worker).or_insert_with(new));
        workers.of_stores.insert(store_id, (Instant::now(), Arc::clone(&permits)));
        permits
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test]
    async fn requests_for_one_worker_leave_room_for_those_of_another() {
        let limiter = WorkerLimiter::new(4);
        let first = limiter.enter(1, ready(Ok(7))).await.unwrap();
        let _second = limiter.enter(2, ready(Ok(7))).await.unwrap();
        assert!(matches!(limiter.enter(1, pending()).await, Err(Error::Busy)), "known, and at its limit");
        assert!(matches!(limiter.enter(3, ready(Ok(7))).await, Err(Error::Busy)));
        let _other = limiter.enter(4, ready(Ok(8))).await.unwrap();
        drop(first);
        assert!(limiter.enter(3, pending()).await.is_ok());
    }

    #[tokio::test]
    async fn a_worker_that_could_not_be_looked_up_is_looked_up_again() {
        let limiter = WorkerLimiter::new(1);
        assert!(matches!(limiter.enter(1, ready(Err(Error::Timeout))).await, Err(Error::Timeout)));
        assert!(limiter.enter(1, ready(Ok(7))).await.is_ok());
    }
}
